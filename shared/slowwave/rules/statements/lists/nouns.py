"""Closed lists of nouns: persons, groups, places."""

from slowwave.rules.statements.words import these

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
