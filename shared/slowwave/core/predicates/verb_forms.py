"""The forms of irregular English verbs."""

_TABLE = """
be was were been; beat beat beaten; become became become; begin began begun; bend bent; bet bet; bind bound; bite bit
bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt; burst
burst; buy bought; catch caught; choose chose chosen; come came come; cost cost; creep crept; cut cut; deal dealt; dig
dug; do did done; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell
fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown; forget forgot forgotten; forgive
forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung; have
had; hear heard; hide hid hidden; hit hit; hold held; hurt hurt; keep kept; kneel knelt; know knew known; lay laid;
lead led; learn learnt; leave left; lend lent; let let; lie lay lain; light lit; lose lost; make made; mean meant;
meet met; pay paid; put put; quit quit; read read; ride rode ridden; ring rang rung; rise rose risen; run ran run; say
said; see saw seen; seek sought; sell sold; send sent; set set; sew sewed sewn; shake shook shaken; shine shone; shoot
shot; show showed shown; shut shut; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke
spoken; spend spent; spill spilt; spin spun; split split; spread spread; stand stood; steal stole stolen; stick stuck;
strike struck; swear swore sworn; sweep swept; swim swam swum; swing swung; take took taken; retake retook retaken;
rebuild rebuilt; redo redid redone; overcome overcame overcome; rewrite rewrote rewritten; babysit babysat; teach
taught; tear tore torn; tell told; think thought; throw threw thrown; understand understood; wake woke woken; wear
wore worn; weave wove woven; win won; wind wound; write wrote written; weep wept; leap leapt; lean leant; dwell dwelt;
spell spelt; sow sowed sown; mow mowed mown; undergo underwent undergone; undertake undertook undertaken; withdraw
withdrew withdrawn; outgrow outgrew outgrown; oversleep overslept; mistake mistook mistaken; swell swelled swollen;
shrink shrank shrunk; string strung; bear bore borne
"""
IRREGULAR = [forms.split() for forms in _TABLE.replace("\n", " ").split(";")]
"""Each verb with its past tense and its participle; one form for both where they are the same."""
PAST_VERB = "|".join((*dict.fromkeys(form for forms in IRREGULAR[1:] for form in forms[1:]), "[a-z]{2,}ed"))
"""An expression for verbs in the past tense and participles, without `was` and `were`, which tell of no deed."""
