"""Small firms that do not exist, whose pages are designed: names, headlines, offers, and people who praise them."""

from __future__ import annotations

import random
from dataclasses import dataclass

__all__ = ["FIRMS", "Firm", "draw_firm"]


@dataclass(frozen=True)
class Firm:
    """One firm.

    Attributes:
        name: what it is called.
        trade: what it does, to be read after "for NAME, ".
        headline: the big words.
        line: one sentence below them.
        offers: four titles, each with a sentence.
        links: four words for the navigation.
        action: what a visitor is asked to do.
        guest: who praises it.
        praise: what they say.
    """

    name: str
    trade: str
    headline: str
    line: str
    offers: tuple[tuple[str, str], ...]
    links: tuple[str, ...]
    action: str
    guest: str
    praise: str


FIRMS: tuple[Firm, ...] = (
    Firm(
        "Crumb & Kettle",
        "a bakery that brings bread by bicycle",
        "Bread at your door by seven",
        "Order until ten at night and we bring it warm, on two wheels and in a paper bag.",
        (
            ("Baked at night", "The dough rests for a day and the oven is lit at two."),
            ("Brought by bike", "Our riders know every street between the river and the hill."),
            ("No waste", "What is left goes to the farm that sends us the flour."),
            ("Pause any time", "Away for a week? One click and the bag stays with us."),
        ),
        ("Breads", "Delivery", "The bakery", "Contact"),
        "Order a bag",
        "Henrike Olsen",
        "My children get up by themselves now, because of the smell.",
    ),
    Firm(
        "Northlight Yoga",
        "a yoga studio above the old post office",
        "One quiet hour, every day",
        "Small groups, warm floors and a window to the north. Bring nothing but yourself.",
        (
            ("Early class", "Half past six, slow, and over before the city wakes."),
            ("Back class", "For everybody who sits too long and knows it."),
            ("Silent evening", "No music and few words, only breath."),
            ("Sunday long", "Two hours, with tea afterwards."),
        ),
        ("Classes", "Teachers", "Prices", "Find us"),
        "Book a trial class",
        "Tomas Berg",
        "I came for my back and stayed for the silence.",
    ),
    Firm(
        "Gearhouse",
        "a workshop that repairs bicycles while you wait",
        "Your bike, fixed over lunch",
        "Bring it at noon, ride it home at one. Most repairs take less time than your soup.",
        (
            ("Brakes", "New pads, new cables, and a test on the steep street."),
            ("Wheels", "We true them by hand and check every spoke."),
            ("Lights", "Dynamo or battery, mounted so that they stay."),
            ("Winter storage", "Dry, locked and serviced until March."),
        ),
        ("Repairs", "Prices", "Opening hours", "About us"),
        "Reserve a slot",
        "Ines Faro",
        "They even found the noise that nobody else could hear.",
    ),
    Firm(
        "Lingo Lane",
        "a language school with groups of six",
        "Speak before you are ready",
        "Six people, one table, no textbook before week three. You will talk on the first evening.",
        (
            ("Evening course", "Twice a week, ninety minutes, for ten weeks."),
            ("Lunch talk", "Forty minutes over a sandwich, in the language of the day."),
            ("Exam help", "Four Saturdays before the test, with old papers."),
            ("For firms", "We come to your meeting room and bring the coffee."),
        ),
        ("Courses", "Levels", "Teachers", "Sign up"),
        "Find your level",
        "Jonas Weil",
        "After five weeks I argued with a taxi driver, and won.",
    ),
    Firm(
        "Tidepool",
        "an aquarium for children in an old harbour shed",
        "Touch the sea with both hands",
        "Crabs, rays and starfish in open basins, and people who know what they are called.",
        (
            ("Open basins", "Roll up your sleeves, the water is eighteen degrees."),
            ("Feeding hour", "Every day at eleven and at three."),
            ("Night visit", "With torches, once a month, over twelve only."),
            ("School groups", "Two hours with a guide, free for local schools."),
        ),
        ("Visit", "Animals", "Schools", "Tickets"),
        "Buy tickets",
        "Marta Lind",
        "We wanted to stay an hour and left when they closed.",
    ),
    Firm(
        "Ledgerleaf",
        "a tool that keeps the books of freelancers",
        "Books that close themselves",
        "Take a photo of the receipt. We read it, file it and tell you what is left for tax.",
        (
            ("Receipts", "Photographed, read and sorted before you pocket the phone."),
            ("Invoices", "Sent in your colours and chased when they are late."),
            ("Tax box", "Always know how much of the money is not yours."),
            ("Adviser access", "Your tax adviser sees what she needs and no more."),
        ),
        ("Features", "Prices", "Security", "Log in"),
        "Start for free",
        "Samira Holt",
        "For the first time I look forward to the end of a quarter.",
    ),
    Firm(
        "Greenroof",
        "gardeners who plant flat roofs in the city",
        "There is a meadow above you",
        "We look at your roof, carry the soil up and come back twice a year to weed.",
        (
            ("Survey", "An engineer tells you what the roof can bear."),
            ("Planting", "Thirty kinds of herbs and grasses in three days."),
            ("Care", "Two visits a year, spring and autumn."),
            ("Bees", "A neighbour with hives is easily found."),
        ),
        ("Roofs", "How it works", "Costs", "Contact"),
        "Ask for a survey",
        "Paul Ader",
        "In August it is five degrees cooler under our meadow.",
    ),
    Firm(
        "Slow Rail",
        "a travel office for night trains",
        "Fall asleep here, wake up there",
        "We know every sleeping car on the continent and which bed has the best window.",
        (
            ("Routes", "Forty cities you can reach between supper and breakfast."),
            ("Cabins", "Alone, for two, or with four friends and a deck of cards."),
            ("Bikes", "Yes, they come along. We book the hook."),
            ("Help", "A person on the telephone until midnight."),
        ),
        ("Routes", "Cabins", "Offers", "Help"),
        "Plan a night",
        "Oda Krist",
        "I had forgotten that travelling can begin on the platform.",
    ),
    Firm(
        "Patchwell",
        "a service that mends clothes by post",
        "Mended, not replaced",
        "Send us the jacket you love. It comes back whole within ten days.",
        (
            ("Zips", "Any length, any colour, metal or plastic."),
            ("Knees", "A patch you can see, or one you cannot."),
            ("Knitwear", "We match the yarn under daylight."),
            ("Lining", "New silk for an old coat."),
        ),
        ("What we mend", "Prices", "How to send", "Questions"),
        "Send a parcel",
        "Rebekka Stein",
        "My grandfather's coat will now see my grandchildren.",
    ),
    Firm(
        "Signal Hill",
        "a small observatory that opens on clear nights",
        "Look up with us tonight",
        "One dome, one old telescope, and volunteers who explain what you see.",
        (
            ("Clear nights", "We decide at six and write it here."),
            ("Moon week", "Craters so sharp that you want to touch them."),
            ("For beginners", "Bring binoculars, we show you ten things."),
            ("Photo nights", "Your camera on our telescope."),
        ),
        ("Tonight", "Programme", "The dome", "Join"),
        "Reserve a place",
        "Leif Aune",
        "My daughter saw Saturn and did not say a word all the way home.",
    ),
)


def draw_firm(rng: random.Random) -> Firm:
    """One of the firms, with its offers in a drawn order."""
    firm = rng.choice(FIRMS)
    offers = list(firm.offers)
    rng.shuffle(offers)
    return Firm(
        firm.name, firm.trade, firm.headline, firm.line, tuple(offers), firm.links, firm.action, firm.guest, firm.praise
    )
