"""Words with little meaning for outsiders, referents of *it*, and things that people own."""

from slowwave.rules.statements.words import these

VERBS = these(
    """be have do get go make take keep try come put give let want need like love feel think know see look find say
    tell talk share work help learn grow improve change start stop continue move push stay live happen mean matter
    meet use enjoy appreciate reach remind remember believe understand deal handle face wait hope bring seem
    become play turn deserve miss figure show support focus process chase strive pursue cherish treasure accept
    realize hit end check spend lead add stick wish agree care follow run stand hang sound catch encourage
    motivate inspire achieve accomplish succeed experience explore express embrace join plan connect set hear
    watch treat fill lose win finish create build cover"""
)
NOUNS = these(
    """something anything everything nothing someone anyone everyone somebody everybody thing things stuff ton lot
    lots bunch bit way ways time times day days week weekend month year hour hours minute while moment moments
    memory memories blast fun idea ideas chance setback surprise news feeling feelings vibe vibes dream dreams
    goal goals heart journey passion passions difference impact change changes one ones people folks person guy
    guys others other life other part parts step steps place places spot kind sort type result results reason point
    side end start experience experiences challenge challenges effort progress success joy happiness love positivity
    strength energy power hope world best self thanks support help mind deal couple pair number level break rest
    talk chat adventure adventures opportunity opportunities future past present look luck win trophy game man all
    pic pics photo photos picture pictures shot adrenaline smile smiles obstacle obstacles struggle
    struggles"""
)
ADJECTIVES = these(
    """good great nice bad best better worse amazing awesome cool wonderful incredible beautiful fantastic special
    spectacular stunning gorgeous breathtaking magnificent lovely perfect terrible awful interesting exciting
    funny unique hard tough rough crazy wild easy difficult important big huge small little new old real true
    same different certain similar many much more most few several positive negative happy sad glad proud
    thankful grateful excited lucky blessed tired ready pumped thrilled stoked sure able motivated determined
    okay ok fine well right wrong welcome worth possible fresh whole own next first last free rewarding
    fulfilling inspiring fun inspired strong hopeful hard-working open long short full dear close two three four
    five six seven ten once twice"""
)
ADVERBS = these("""step-by-step on-track forward ahead today tonight tomorrow yesterday""")
HOLLOW = VERBS | NOUNS | ADJECTIVES | ADVERBS

EMPTY = these(
    """far again instead away wanna gonna gotta 'em em lately forever selves fam supporter bigger greater larger higher
    happier stronger"""
)
"""Words without weight, in addition to those that are hollow everywhere."""

FAINT = these(
    """option options solution solutions upgrade upgrades difficulty difficulties strategy strategies reflect vital
    crucial supportive meaningful object objects physical quote copy teammate teammates tranquility ability acceptance
    accomplishment achievement achievements activities activity adapt adjust admiration admire advice alive alone amaze
    amazed answer anxiety anxious app apps area arrange ask atmosphere attend attitude back balance beauty belief
    beliefs blessing bond bonds book books boost bored boundaries business busy call calm camaraderie career carry
    celebrate cheer child children chill choose circumstances class classes collect color colors comfort comfortable
    commit committed community compassion condition confidence confident connection connections consider content
    conversation conversations cope courage creative creativity curious cute decide decision dedicate dedicated
    dedication delicious delight design destination determination develop devote disappointed discover discuss doubt
    doubts drink emotion emotional emotions empower encouragement energize environment escape essential event events
    excite excitement expect fancy fascinated fast favorite favourite fear figures film films food freedom friend
    friends friendship friendships frustrated fuel fulfillment game-changer gather genre genres gift gratitude group
    groups growth guidance hardship healthy hobbies hobby hold home honor house hug hugs imagination imagine impressed
    inside inspiration interest interested interests issue issues job key kid kids kindness knowledge late laugh laughs
    laughter leave lesson lessons lifesaver lift limits list listen lists magic magical main major manage meal memorable
    mention milestone mood motivation movie movies music nature nervous obsessed offer opinion optimistic organize
    outlook outside overcome overwhelmed pain parent parents pass passionate pay peace peaceful perspective pick piece
    pieces pleasure potential powerful practice precious prepare pressure priceless problem problems product products
    project projects purpose quick raise read receive recharge recipe recipes relationship relationships relax relaxed
    reminder resilience respect return rise role room safe satisfaction satisfy scared scene send sense serve session
    sessions simple sit situation skill skills slow song songs soul speak spirit spirits stories story stress stressed
    studies study suffer surprised survive swamped sweet talent talents tasty team teams teamwork thoughts thrill
    together training trip trips triumph trouble trust truth unforgettable unwind uplift upset value valued values
    victory view views visit voice walk water way-out wear weather wisdom wonder worried worries worry write young
    yummy"""
)
"""Words that need others to be specific, such as `book` and `team`."""


PERSONS = these(
    """mother mom mum mommy mama grandmother grandma granny nana sister aunt auntie niece daughter granddaughter
    wife girlfriend girl woman lady bride stepmother stepdaughter godmother mother-in-law sister-in-law queen
    actress waitress landlady father dad daddy papa grandfather grandpa grandad granddad brother uncle nephew
    son grandson husband boyfriend boy man gentleman groom stepfather stepson godfather father-in-law
    brother-in-law king actor waiter landlord friend cousin partner spouse fiance fiancee child kid baby toddler
    boss manager coach teacher mentor tutor doctor nurse therapist neighbour neighbor colleague coworker
    co-worker roommate flatmate teammate classmate student pupil client customer guest host owner artist author
    writer musician singer dancer player guide instructor trainer professor veteran stranger person twin sibling
    parent grandparent dog cat puppy kitten pup horse pony parrot bunny rabbit hamster pet tenant beekeeper
    baker farmer carpenter lawyer dentist vet captain driver youngest eldest oldest"""
)
TOGETHER = these(
    """family team crew band group choir agency company shop store school club staff police orchestra class community
    church couple committee shelter firm office hospital university college museum charity network government crowd
    audience public army press network"""
)
"""Nouns for groups, which people refer to as *them*."""
PLACES = these(
    """beach park studio shop store school city town village museum restaurant cafe gym shelter festival concert church
    mountain mountains forest lake river island garden farm hotel club library theatre theater hospital university
    college country hall market bakery bar pub zoo stadium castle camp house home cottage cabin office harbour harbor
    mill barn valley coast desert pool court field station gallery fair campsite resort spa"""
)


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
"""Things of work, for which *our* means the team's."""
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
