"""Things of work and home that need no introduction: `the staging server`, `the boiler`, `deploys`."""

from slowwave.rules.statements.words import these

WORK = these(
    """server servers database databases db cluster host domain repo repository branch build builds pipeline ci deploy
    deploys deployment deployments release releases version sprint sprints standup stand-up standups retro demo demos
    review reviews launch api apis endpoint service services app site website staging production prod ticket tickets
    board runbook docs wiki backup backups migration migrations job jobs cron log logs tests suite linter formatter
    config port queue bucket schema client customer budget contract invoice invoices deck roadmap style convention
    codebase framework stack compiler library dashboard alert alerts on-call rota rollout hotfix changelog
    documentation team workshop kickoff milestone gateway proxy frontend backend firewall balancer vm vms container
    containers registry cache broker topic webhook webhooks scheduler worker workers daemon collector scraper crawler
    parser exporter importer sandbox cutover freeze spike handover certificate cert vpn intranet helpdesk
    hotline newsletter spreadsheet template hook hooks monorepo module plugin"""
)
"""Things of work: *our* with one of these means a team's."""
HOME = these(
    """key keys car bike house flat apartment garage garden kitchen bathroom bedroom boiler heating wifi wi-fi router
    alarm rent mortgage landlord plumber electrician cleaner nanny babysitter vet dentist doctor surgery clinic
    pharmacy school nursery daycare kindergarten bus train tram bins bin recycling rubbish trash party wedding funeral
    trip flight hotel cottage cabin appointment operation course class lesson lessons exam rehearsal rehearsals
    practice training match club choir bridge gym shift shifts lease insurance subscription passport visa cat dog
    puppy baby shed cellar attic freezer fridge oven dishwasher medication pills dose prescription manuscript thesis
    dissertation meeting meetings deadline report office manager project concert festival market bakery library
    barbecue picnic dinner reunion holiday holidays term semester printer"""
)
VALUED = these(
    """is are isn't aren't has have goes go runs run lives live sits stands uses use needs must costs cost starts start
    ends end begins begin opens open closes close comes come expires happens arrives leaves belongs lands ships ship
    listens points stays hangs meets takes take moves moved will writes reads polls"""
)
"""Verbs, in the present tense, that state a property, place or time of a thing."""
TEAMWORK = these(
    """use deploy ship release merge lint format log partition host migrate refactor version package containerize
    standardize standardise monitor benchmark provision"""
)
"""Verbs of a team's work."""
