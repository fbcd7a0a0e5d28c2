"""Word lists behind :mod:`colbench.simulators.matching`: kept apart so that the rules there stay readable."""

from __future__ import annotations

__all__ = [
    "EVERYTHING",
    "NUMBER_WORDS",
    "OFF_TOPIC",
    "OFF_TOPIC_PHRASES",
    "PHRASE_TOPICS",
    "SPELLED_OUT",
    "STOP_WORDS",
    "TOPIC_WORDS",
]

STOP_WORDS = frozenset(
    """a about above after again all also am an and any anything are as at be because been being below but by can could
    did do does doing done each either else for from get gets give given gives go got had has have having he her here
    him his how i if in into is it its itself just know let like likely make may me might mind more most much must my
    need needs no nor not now of off ok okay on once one only onto or other our out over own per please put really
    same say says shall she should so some someone something still such sure take tell than thank thanks that the their
    them then there these they thing things this those though through to too under until up upon us use used uses
    using very via want wants was way we well were what when where whether which while who whom whose why will with
    within without would yes yet you your yours function python code write implement implementation program script
    question questions clarify clarification clarifying understand understanding help great confirm e.g eg i.e ie etc
    don't doesn't isn't aren't won't can't shouldn't didn't what's it's i'm i'll i'd you're that's let's there's
    exactly exact specific specifically particular consider considered assume okay happen happens expect expected
    work works supposed kind kinds sort-of mean means called call""".split()
)

# Abbreviations of identifiers, said as people say them, so that a question about `num_ads` finds "number of ads".
SPELLED_OUT: dict[str, tuple[str, ...]] = {
    "num": ("number",),
    "avg": ("average",),
    "max": ("maximum",),
    "min": ("minimum",),
    "pct": ("percent",),
    "qty": ("quantity",),
    "std": ("standard",),
    "dict": ("dictionary",),
    "str": ("string",),
    "params": ("parameter",),
    "args": ("argument",),
    "biggest": ("largest",),
    "lowercase": ("lower", "case"),
    "uppercase": ("upper", "case"),
    "colour": ("color",),
    "colours": ("color",),
    "favourite": ("favorite",),
}

NUMBER_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
    "half": 0.5, "hundred": 100, "thousand": 1000,
}  # fmt: skip

# topic -> stems that hint at it; a trailing "*" marks a weak hint (half weight).
TOPIC_WORDS: dict[str, str] = {
    "inputs": """input parameter argument param type* typ shap structur format* look* pass* receiv accept data* list*
        dictionar* tupl* string* integ* float* unit* optional* sampl exampl* represent""",
    "keys": "key field column attribut propert record* dictionar dict* entr* element* item* name* object* structur*",
    "options": """option categor class* kind choic value* possibl valid* allow mod label level* group* valu* case*
        supported support* stat* word keyword term code* distinguish recogni recogniz""",
    "table": "tabl map mapp lookup correspond catalog list* associat default* predefin built-in hardcod fixed*",
    "threshold": """threshold limit cutoff cut minimum maximum rang* bound boundar bracket tier high* low* larg*
        small* great* less*
        exceed cap ceiling* floor* inclusiv exclusiv strict above below criteri* qualif* eligib* level* edg*""",
    "factor": """weight rat multipli factor coefficient percent percentag constant scal discount bonu penalt surcharg
        fee charg cost* tax ratio* increas decreas adjust* point scor* number* valu* amount* convers convert deduct
        add* subtract""",
    "formula": """formula calcul calculat comput equation math arithmetic method* add* sum* total* combin weight* averag
        averag* multipl
        divid determin* deriv step logic* algorithm percentag*""",
    "rounding": "round decimal precision plac digit truncat floor ceil whole fraction* integ*",
    "edge": """edg empt missing miss zero null non invalid unknown negativ error* exception corner absent unrecogni
        unrecogniz
        bad* unexpected blank fail* handl* duplicat special* otherwis els* nothing incomplet malform default* neith
        outsid""",
    "result": """return result output respons answer* produc format* outcom giv* yield final* display* messag*""",
    "order": """order sort rank ascend descend highest lowest first* last* top tie* prioriti priority* sequenc
        reverse alphabetical
        largest smallest best""",
    "default": "default optional omit omitt provid* fallback",
    "text": """case* sensitiv insensitiv lower upper whitespac spac trim strip punctuat string* text* split separat
        delimit join match* exact* partial* substring contain* char charact word* capital prefix suffix format*
        templat wording pars""",
    "condition": """condition rul criteri depend requir* decid determin decision* check* scenario logic combin*
        special exception* circumstanc
        affect influenc consid trigger cas* when* matter factor* definit defin""",
    "filter": "filt exclud includ skip keep remov ignor select drop discard count* match* qualif* omit*",
    "error": "error exception rais throw crash invalid*",
    "date": "date tim* day* month* year* weekday timezon timestamp calend hour*",
}

PHRASE_TOPICS: tuple[tuple[str, str, float], ...] = (
    ("edge case", "edge", 2.0),
    ("edge cases", "edge", 2.0),
    ("corner cases", "edge", 2.0),
    ("special cases", "edge", 1.0),
    ("not found", "edge", 2.0),
    ("not in the", "edge", 1.0),
    ("none of", "edge", 1.5),
    ("not given", "default", 1.5),
    ("not provided", "default", 1.5),
    ("left out", "default", 1.5),
    ("case sensitive", "text", 2.0),
    ("case insensitive", "text", 2.0),
    ("upper or lower case", "text", 2.0),
    ("more than", "threshold", 1.0),
    ("less than", "threshold", 1.0),
    ("at least", "threshold", 1.0),
    ("at most", "threshold", 1.0),
    ("greater than", "threshold", 1.0),
    ("cut off", "threshold", 2.0),
    ("how high", "threshold", 1.0),
    ("how low", "threshold", 1.0),
    ("how is", "formula", 0.6),
    ("how are", "formula", 0.6),
    ("how do you", "formula", 0.6),
    ("how should", "formula", 0.4),
    ("come out", "result", 1.5),
    ("come back", "result", 1.5),
    ("get back", "result", 1.5),
    ("give back", "result", 1.5),
    ("look like", "inputs", 0.5),
    ("which order", "order", 1.0),
    ("what order", "order", 1.0),
    ("kind of values", "inputs", 1.0),
    ("kinds of values", "inputs", 1.0),
    ("data type", "inputs", 1.5),
    ("data types", "inputs", 1.5),
    ("how many decimals", "rounding", 1.0),
    ("whole number", "rounding", 1.0),
    ("true or false", "result", 0.8),
    ("under which", "condition", 1.0),
    ("under what", "condition", 1.0),
    ("left over", "filter", 1.0),
)

EVERYTHING = (
    "everything",
    "all the details",
    "all details",
    "all the rules",
    "all rules",
    "all requirements",
    "all the requirements",
    "all your requirements",
    "anything else",
    "something else",
    "what else",
    "more details",
    "more detail",
    "more information",
    "more info",
    "any other details",
    "any details",
    "other details",
    "any other requirements",
    "other requirements",
    "any requirements",
    "requirements",
    "any other rules",
    "other rules",
    "special rules",
    "anything special",
    "anything i should know",
    "anything important",
    "what should it do",
    "what does it do",
    "what should the function do",
    "what should this function do",
    "what exactly should",
    "how should it work",
    "how does it work",
    "how should the function work",
    "elaborate",
    "what do you want",
    "what do you need",
    "in detail",
    "the full specification",
    "the whole specification",
    "the specification",
    "the full spec",
    "the whole thing",
    "did i miss",
    "am i missing",
    "hidden requirements",
    "constraints",
)

OFF_TOPIC = """database sql mysql postgres mongodb deploy deployment server cloud aws azure docker kubernetes host
        hosting ui gui
    frontend backend button css html font theme logo icon layout dark encrypt encryption authentication authorization
    password login credentials oauth token unittest pytest coverage ci pipeline devops debugger logging logger
    editor vscode pycharm licence license copyright patent documentation docstring docstrings readme wiki git github
    gitlab repository commit api endpoint rest graphql http https webhook websocket framework django flask fastapi
        react
    java javascript typescript rust golang php ruby kotlin scala perl pep8 lint linter indentation
    performance scalability scalable latency throughput optimize optimise optimization benchmark thread threads async
    asynchronous parallel concurrency concurrent multithreading weather hobby birthday favorite favourite deadline boss
    manager colleague coworker holiday vacation lunch dinner breakfast coffee pet android ios iphone browser chrome
    firefox email notification notifications chart plot dashboard visualization visualisation gdpr privacy compliance
    backup monitoring telemetry gpu cuda tensorflow pytorch pandas pip conda install installation dependency
        dependencies
    virtualenv decorator inheritance singleton microservice blockchain localization localisation internationalization
    accessibility animation screen mobile smartphone desktop website webpage hardware cpu ram storage disk
    budget stakeholder stakeholders slogan horoscope zodiac sibling spouse salary joke poem song music movie sport
    security secure unit-test maintain maintainable refactor comments annotation annotations hints type-hints naming
    command-line cli cache macos linux unit units currency fahrenheit celsius company caching persistent persist
        stored""".split()

OFF_TOPIC_PHRASES = (
    "programming language",
    "unit test",
    "unit tests",
    "test cases",
    "test suite",
    "version control",
    "user interface",
    "operating system",
    "type hints",
    "variable names",
    "naming convention",
    "coding style",
    "code style",
    "machine learning",
    "neural network",
    "your name",
    "your favorite",
    "your favourite",
    "how old are you",
    "where do you",
    "who are you",
    "who will",
    "how are you",
    "python version",
    "version of python",
    "third party",
    "error message language",
    "time complexity",
    "log file",
    "config file",
    "command line",
    "web page",
    "web site",
    "your team",
    "your company",
    "multiple languages",
    "other languages",
    "job title",
    "target audience",
    "web service",
    "capital of",
    "meaning of life",
)
