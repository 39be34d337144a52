"""Texts of a given mean length in tokens, the same in every process: frequent words, one token each."""

import random

WORDS = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an "
    "they which one you were all her she there would their we him been has when who will no more if out so up "
    "said what its about than into them can only other time new some could these two may first then do any "
    "like my now over such our man me even most made after also did many off before must well back through "
    "years where much your way down should because long each just state those people too mr how little good "
    "world make very year still see work men day get here old between both being under three never know same "
    "last another while us might great go come since against right came take used himself few house american "
    "use place during high without again home around small however found mrs part"
).split()
SPREAD = 0.25  # chunks of a real document are not of one length


def texts(mean: int, count: int) -> list[str]:
    """`count` texts of `mean` tokens on average, between 0.75 and 1.25 of it, special tokens left out."""
    chance = random.Random(20260101)  # the same texts everywhere, not a secret
    lengths = [round(mean * (1 - SPREAD + 2 * SPREAD * place / (count - 1))) for place in range(count)]
    chance.shuffle(lengths)
    return [" ".join(chance.choices(WORDS, k=length)) for length in lengths]
