/**
 * Vendors of keys without a head, as public catalogues of credentials list them: joined, in lower
 * case, and no word of the language. They are no triggers: a name is looked up once a value has
 * been met that chance made, so that a longer list costs nothing.
 */
const CATALOGUE = new Set(
  (
    'abbysale abstractapi abuseipdb accuweather adzuna aeroworkflow aftership agora airbrake airvisual alconost alegra aletheiaapi ' +
    'alienvault alipay allsports alphavantage amadeus amap ambee anypoint apacta api2cart apideck apiflash apifonica apify apilayer ' +
    'apimatic apininjas apiscience apitemplate appcues appdynamics appfollow appointedd appsflyer appsignal appsynergy apptivo ' +
    'appveyor arcgis artsy audd auth0 autodesk autoklose avaza aviationstack axonaut aylien ayrshare baidu bannerbear baremetrics ' +
    'basecamp baseten beebole besnappy besttime billomat binance bingmaps bingsearch bitbar bitcoinaverage bitmovin bitpanda bitstamp ' +
    'bitwarden blablabus blazemeter blitapp bmob boldsign boltpayments bombbomb boostnote borgbase branchio brandfetch braze brevo ' +
    'browserless browserstack browshot bscscan buddyns budibase bugherd bulksms bunnycdn buttercms bybit caflou calcom calendarific ' +
    'calorieninja campayn cannyio capsulecrm captaindata carboninterface cashboard caspio castai censys centralstation ' +
    'centralstationcrm cexio chargify chartmogul chatfuel checkio checklyhq checkmarx checkvist clearbit clickhelp clicksend cliengo ' +
    'clientary clinchpad clockify clockworksms closecrm cloudbees cloudconvert cloudelements cloudimage cloudmersive cloudplan ' +
    'cloudsight cloverly clustdoc cmcapi codacy codemagic codequiry coinapi coingate coingecko coinlayer coinlib coinmarketcap ' +
    'commercejs companyhub constantcontact contentstack convertapi convier copyleaks coresignal countrylayer courier craftmypdf ' +
    'crossbrowsertesting crowdin crowdstrike cryptocompare currencycloud currencyfreaks currencylayer currencyscoop currentsapi ' +
    'customerguru customerio d7network dailyco dareboost datafire dataforseo datagov debricked deepai deepinfra demio deribit ' +
    'detectify detectlanguage deviantart dfuse diffbot dify digicert dingtalk discogs dnscheck dnsimple dnsmadeeasy docparser documo ' +
    'domotz dotdigital dotmailer dovico dronahq duosecurity dwolla dynalist dyspatch eagleeyenetworks easyinsight easyship ecostruxure ' +
    'edamam edenai elasticemail enablex endorlabs eodhd eodhistoricaldata epicgames ethplorer everhour exchangerate exchangerateapi ' +
    'exchangeratesapi expensify exportsdk extractorapi faceit faceplusplus fakejson fastforex feedier feishu fetchrss fibery fileio ' +
    'filestack finage financialmodelingprep findl fitbit fivetran fixerio flatio fleetbase flexport flightapi flightaware flightlabs ' +
    'flightstats flowflu flowise fmfw formbucket formcraft formio formsite formstack foursquare frameio fraudlabspro freshchat ' +
    'freshsales freshservice freshworks ftxus fullcontact fusebill fusionauth fxmarket gateio geckoboard gemfury genesys gengo ' +
    'geoapify geocodify geoipify getemail getemails getgeoapi getgist getresponse getsandbox gettyimages getui ghostadmin giphy ' +
    'glassnode gocanvas godaddy goodreads goshippo gradleenterprise graphcms graphhopper groovehq gtmetrix guardianapi gusto gyazo ' +
    'hackerone happyscribe harvestapp haveibeenpwned heatmapapi helicone hellosign helpcrunch hereapi heremaps heygen hiveage ' +
    'holidayapi honeybadger hotjar html2pdf huaweicloud hunterio hybiscus hygraph hypertrack iconfinder iexapis iexcloud iflytek ' +
    'imagekit imagga infobip infracost insightly instabot instabug instamojo integromat interseller intra42 intrinio invoiceocean ' +
    'ip2location ipapi ipdata ipgeolocation ipify ipinfodb ipquality iqair iterable iugu jpush jsonbin jumpseller jwplayer kaggle ' +
    'kairos kaltura kanbantool karmacrm keenio kentico kickbox kiteconnect klarna klipfolio knapsackpro koyeb kylas langdock langfuse ' +
    'languagelayer lastfm leadfeeder leancloud lemlist lemonsqueezy lendflow lessannoyingcrm lexigram lexoffice linemessaging ' +
    'linenotify linepay linkpreview lithic liveagent livestorm llamacloud llamaindex loadmill lobcom locationiq logdna loginradius ' +
    'logrocket logzio loyverse lunchmoney luno macaddressio madkudu magicbell mailboxlayer mailjet mailmodo mailsac mailtrap mangopay ' +
    'marketstack mavenlink meaningcloud mediastack meilisearch meistertask mesibo messari metaapi metabase metrilo mindmeister ' +
    'mixedbread mixmax mockaroo mollie monkeylearn moonclerck moonclerk moosend moralis mrticktock myfitnesspal myfreshworks ' +
    'myintervals mysportsfeeds nasdaqdatalink netcore nethunt netsuite neutrinoapi newsapi newscatcher newsdata nexmo nftport ' +
    'nicereply nightfall nordigen northpass nowpayments nozbe nozbeteams npsapi numverify nutritionix nutshell nylas oanda ollamacloud ' +
    'omdb omdbapi omnisend onedesk onelogin onepagecrm onwater oopspam opencage opencagedata openchargemap opengraphr openrouteservice ' +
    'openuv openweather openweathermap optidash overloop owlbot packagecloud paddle pagarme pandadoc pandascore paperform papertrail ' +
    'paralleldots parsehub parseur partnerstack passbase passslot pastebin paydirt paymoapp paymongo payu pdflayer pdfshift ' +
    'peopledatalabs pepipost percy petfinder phoenixnap photoroom pinata pingdom pipedream pivotaltracker pixabay planviewleankit ' +
    'planyo playment podio poeditor pollsapi poloniex polygonscan portainer portkey positionstack postageapp postbacks postmates ' +
    'powrbot printful printify privacycom prodigi prodpad productboard proofhub prospectcrm prospectio protocolsio proxycrawl ' +
    'proxyscrape prxemail publitio purestake pushbullet pushover qase qdrant qiniu qualaroo qualtrics quandl qubole questionpro ' +
    'quickbase quickbooks quickmetrics quicknode rawg raygun reachmail rebrandly rechargepayments recruitee recurly redislabs removebg ' +
    'rentman repairshopr replyio requestfinance restpack revampcrm revolut ringcentral riotgames ritekit robinhood rocketreach rockset ' +
    'roninapp rootly route4me rownd runrunit runwayml salesblink salescookie salesflare salesloft salesmate sambanova satismeter ' +
    'scalewaykey scanii schrole scrapein scrapeowl scraperapi scraperbox scrapersite scraperwiki scrapestack scrapfly scrapingant ' +
    'scrapingbee screenshotapi screenshotlayer scrutinizerci securitytrails segmentio selectpdf semantria sendpulse serpapi serphouse ' +
    'serpstack sheety sherpadesk shipday shipengine shipstation shotstack shutterstock signable signalwire signaturit signnow ' +
    'signupgenius sigopt siliconflow simfin simplesat simplynoted simvoly sinch sirv siteleaf skrapp skrappio skybiometry smartling ' +
    'smartsheet smartsheets smartystreets smooch snipcart snovio solscan sonatype soundcloud sparkpost spectralops speechmatics ' +
    'speechtextai splitio splunk spoonacular sportmonks sportradar sportsmonk squadcast squareup stackhawk statuscake statuspal ' +
    'stitchdata stockdata storecove stormboard stormglass storychief stripo stytch sugester supernotes surveyanyplace surveybot ' +
    'surveymonkey surveysparrow survicate swiftype syncthing synthesia tailscale tallyfy tatum tatumio taxjar teamcity teamgate ' +
    'teamwork teamworkcrm teamworkdesk technicalanalysisapi tefter telesign tencentcloud testingbot text2data textanywhere textmagic ' +
    'theguardian themoviedb theoddsapi thetvdb thinkific thousandeyes ticketmaster tickettailor tiingo timecamp timezoneapi tmdb ' +
    'tmetric toggl toggltrack tokeet tomorrowio tomtom tradegecko tradier trakt transferwise transifex travelpayouts tripadvisor tripo ' +
    'tumblr tunnelhub turbopuffer twelvedata tyntec typesense typetalk ubidots uclassify umeng unbxd unifyid unplugg unsplash ' +
    'unstructuredio upcdatabase uplead uploadcare uploadthing upstash uptimerobot upwave upyun userflow userstack vatlayer vbout ' +
    'verimail veriphone versioneye viber victorops viewneo vimeo visualcrossing voiceflow voicegain volcengine vonage voodoosms ' +
    'vouchery voyageai vpnapi vuforia vultr vyte walkscore waveapps weatherapi weaviate web3storage webengage webex webscraper ' +
    'webscraping webscrapingai websitepulse wechat weixin wepay whatcms whoxy wistia witai woocommerce woopra wordnik worksnaps ' +
    'workstack worldcoinindex worldweather worldweatheronline wrike wufoo ximilar yext ynab youneedabudget yousign zenhub zenkit ' +
    'zenrows zenscrape zenserp zeplin zerobounce zilliz zipapi zipbooks zipcodeapi zipcodebase zoho zomato zonka zonkafeedback zulip ' +
    'zuora'
  ).split(' '),
);

/**
 * Vendors whose names are words of the language: right next to the value they count, anywhere near
 * it they say nothing.
 */
const WORDS = new Set(
  (
    'aha ably abstract airship alchemy appwrite attentive aweber backendless beamer better bolt brex bridge bumble canny carbonblack cicero circle clay close coda codefresh copper customer cypress dandelion databox ' +
    'ditto dream drift drip elastic ember enigma envoy fauna flagsmith flat float front fulcrum fullstory gemini geocode ghost glide greenhouse guru harvest height here hive holiday humanity hunter ironclad ' +
    'kanban karma keen klaus knock lever lightstep linear lob loop luma magnet make maxio memberstack monday mux nitro noticeable olark onfleet opal outreach oyster particle pendo persona pipefy ' +
    'primer prospect pulumi quip railway raven ravelin reach recharge refiner rev rippling roaring route runrun sage sanity satis scale sentiment shortcut sketchfab smartcar sourcery spoke sprig statsig stormboard swell ' +
    'swift taboola talkdesk tempo tenable tines transloadit trigger twist typesense unify unleash uploadcare upcloud vero wavefront weave whereby whoop woorank workable yotpo zip'
  ).split(' '),
);

/** True for the name of such a vendor, in lower case. */
export const isVendorWord = (word: string): boolean => WORDS.has(word);

/** The most words one of them is written in: `have i been pwned`. */
const MOST_WORDS = 4;
/**
 * By the first three letters of a name, a bit for its length and its last letter, of 32: nearly all
 * words are distinguished from names by it.
 */
const MARKS = new Uint32Array(32_768);
for (const name of CATALOGUE) {
  const place = placeOf(name.charCodeAt(0), name.charCodeAt(1), name.charCodeAt(2));
  MARKS[place] = (MARKS[place] as number) | bitOf(name.length, name.charCodeAt(name.length - 1));
}

/** Where the table has three letters or digits; capitals stand with small ones. */
function placeOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31);
}

/** The same for a capital. */
function bitOf(length: number, last: number): number {
  return 1 << ((5 * length + last) & 31);
}

/**
 * Where the last catalogued name ends among words: the index behind its last word, or -1. It may be
 * written in one word or in several.
 */
export function endOfCatalogued(words: readonly string[]): number {
  const starts: number[] = [];
  const ends: number[] = [];
  let length = 0;
  for (const word of words) {
    starts.push(length);
    length += word.length;
    ends.push(length);
  }
  return endOfCataloguedIn(words.join(''), starts, ends);
}

/** The same among words of a text, by where they start and end: few are ever cut out of it. */
export function endOfCataloguedIn(text: string, starts: readonly number[], ends: readonly number[]): number {
  for (let first = starts.length - 1; first >= 0; first -= 1) {
    const marks = MARKS[placeOfWords(text, starts, ends, first)] as number;
    if (marks === 0) continue;
    const stop = Math.min(starts.length, first + MOST_WORDS);
    let found = -1;
    let length = 0;
    // The longest: `open weather map` is no map of a vendor.
    for (let last = first; last < stop; last += 1) {
      const end = ends[last] as number;
      length += end - (starts[last] as number);
      if (
        (marks & bitOf(length, text.charCodeAt(end - 1))) !== 0 &&
        CATALOGUE.has(joined(text, starts, ends, first, last))
      )
        found = last + 1;
    }
    if (found > 0) return found;
  }
  return -1;
}

/** The place of the first three characters of words that are read as one. */
function placeOfWords(text: string, starts: readonly number[], ends: readonly number[], first: number): number {
  let word = first;
  let at = starts[word] as number;
  if ((ends[word] as number) - at >= 3)
    return placeOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
  let place = 0;
  for (let count = 0; count < 3; count += 1) {
    while (at === ends[word]) {
      word += 1;
      if (word === starts.length) return 0;
      at = starts[word] as number;
    }
    place = (place << 5) | (text.charCodeAt(at) & 31);
    at += 1;
  }
  return place;
}

/** Words read as one, in lower case. */
function joined(text: string, starts: readonly number[], ends: readonly number[], first: number, last: number): string {
  let name = '';
  for (let i = first; i <= last; i += 1) name += text.slice(starts[i], ends[i]);
  return name.toLowerCase();
}
