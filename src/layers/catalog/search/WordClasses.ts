/**
 * English words that the search treats differently: function words, the words that people put around a request, and
 * forms that the Porter stemmer gets wrong. They describe the language and no catalog; words for subjects stand in
 * `catalog/vocabulary.yaml`.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words without a subject: they are never indexed and never searched for. */
export const functionWords: ReadonlySet<string> = words(`
a an the this that these those some any each every all both either neither no none not nor only own same such so than too very
just about above after again against along also although am among and are aren around as at be became because been before
being below between but by came come can cannot could couldn did didn do does doesn doing don down during else ever few for
from further get gets getting given gives giving go goes going got had hadn has hasn have haven having he her here hers herself
him himself his how however i if in into is isn it its itself let ll m may me might more most much must my myself of off on once or
other others ought our ours ourselves out over per quite rather re really s shall she should shouldn since still t their theirs them
themselves then there they though through thus till to together toward towards under until up upon us ve via was wasn we well were
weren what whatever when whenever where wherever whether which whichever while who whoever whom whose why will with within without
won would wouldn yet you your yours yourself yourselves yes ok okay etc eg ie vs d
`)

/** Words around a request that do not name its subject: dropped from a query if other words are left. */
export const requestWords: ReadonlySet<string> = words(`
please kindly want wants wanted wanting need needs needed needing like liked love help helps helping helped assist assistance assisting
provide provides provided providing give gave show shows showing shown tell tells telling fetch fetches fetching retrieve retrieves
retrieving obtain obtaining wish hope hoping hoped try trying tried able possible possibly looking look interested curious wondering
wonder know knowing ask asking seek seeking appreciate grateful thank thanks hi hello hey dear sir interesting excited planning
planned currently recently right now today moment additionally furthermore moreover lastly finally firstly secondly also besides
great good nice useful helpful essential relevant specific particular certain various several different
related regarding concerning something anything everything someone somebody anyone
thing things stuff kind sort lot lots bit way ways using use used uses utilize make makes making sure
suggest suggestion suggestions recommend recommendation recommendations share include including includes included along based
dont im ive id lets
`)

/** Verbs of asking that operation names use too. */
export const askingVerbs: ReadonlySet<string> = words(`
find finds finding found finder search searches searching searched list lists listing lookup check checks checking explore exploring
view create recommend recommendation recommendations suggestion suggestions suggest
`)

/** Verbs of asking and words that most catalogs are full of: kept, with less weight. */
export const weakWords: ReadonlySet<string> = new Set([
  ...askingVerbs,
  ...words(`
information info data detail details detailed query request api apis endpoint service tool app application website site
new latest recent current available
`)
])

/** Irregular forms, and words whose plural or spelling the Porter stemmer would merge with another word. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    news: "news",
    people: "person",
    persons: "person",
    children: "child",
    men: "man",
    women: "woman",
    wives: "wife",
    lives: "live",
    feet: "foot",
    teeth: "tooth",
    mice: "mouse",
    geese: "goose",
    indices: "index",
    matrices: "matrix",
    vertices: "vertex",
    analyses: "analysis",
    analyse: "analyz",
    analysed: "analyz",
    analysing: "analyz",
    criteria: "criterion",
    media: "media",
    colour: "color",
    colours: "color",
    centre: "center",
    centres: "center",
    theatre: "theater",
    theatres: "theater",
    favourite: "favorit",
    favourites: "favorit",
    catalogue: "catalog",
    catalogues: "catalog",
    cheque: "check",
    grey: "gray",
    bought: "buy",
    sold: "sell",
    sent: "send",
    paid: "pay",
    spoken: "speak",
    written: "write",
    wrote: "write",
    flown: "fly",
    flew: "fly",
    geo: "geo",
    bus: "bus",
    buses: "bus",
    gas: "gas",
    gases: "gas",
    status: "status",
    statuses: "status",
    address: "address",
    addresses: "address",
    series: "seri",
    species: "speci",
    sports: "sport",
    maths: "math",
    physics: "physic",
    dns: "dns",
    sms: "sms",
    gps: "gps",
    aws: "aws",
    ios: "ios",
    css: "css",
    rss: "rss",
    https: "http",
    has: "has",
    cms: "cms",
    pos: "pos",
    whois: "whois",
    organisation: "organ",
    organisations: "organ",
    organisational: "organ",
    program: "program",
    programme: "program",
    programmes: "program"
  })
)
