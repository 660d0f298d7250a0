import { isAboutSecret } from './key-names.js';
import { endOfCatalogued } from './vendor-catalogue.js';

/**
 * Vendors whose tokens have no head of their own, by a name that is no common word: next to it a
 * long mixed value counts.
 */
const DISTINCT = (
  'adafruit airtable aiven algolia alibaba aliyun amplitude artifactory asana assemblyai atlassian bamboo bintray bitbucket bitfinex bitly bitmex bitrise bittrex braintree bugsnag buildkite ' +
  'calendly cerebras chargebee circleci civo clarifai clerk clickup clickhouse cloudflare cloudinary cloudsmith codecov codeclimate cohere coinbase configcat confluent contentful convertkit couchbase coveralls crowdin ' +
  'databento databricks datadog deepgram deepl deepseek digitalocean discord disqus docusign doppler droneci dropbox dynatrace ebay elevenlabs etherscan etsy eventbrite exoscale ' +
  'facebook fastly figma finicity finnhub firebase fireworks flickr flutterwave freshbooks freshdesk fullstory geocodio gitea gitguardian github gitlab gitter gocardless grafana greptile gumroad ' +
  'helpscout heroku hetzner honeycomb hubspot huggingface infomaniak infura intercom ipinfo ipstack jfrog jotform jumpcloud kagi kimi klaviyo kraken kucoin langsmith larksuite launchdarkly ' +
  'lichess lighton linkedin linode livechat lokalise loggly mailchimp mailerlite mailersend mailgun mailjet mandrill mapbox mapquest mattermost maxmind mattermost meraki messagebird midtrans minimax mistral mixpanel ' +
  'moonshot netlify newrelic newyorktimes ngrok nytimes okta ollama onesignal openai openrouter opensea openweather opsgenie optimizely ovh pagerduty paypal paystack pendo pinecone pinterest pipedrive plaid planetscale ' +
  'plivo polygonio polymarket posthog postman postmark privateai pubnub pusher rainforest rapidapi razorpay recaptcha rollbar saucelabs scaleway scalr sendbird sendgrid sendinblue sentry shodan shopify snowflake snyk softlayer ' +
  'sonar sonarcloud sonarqube sourcegraph spotify squarespace sslmate statuspage storyblok strava stripe sumologic supabase tableau tavily telegram telnyx terraform tiktok todoist travisci trello twilio twitch ' +
  'twitter typeform upstage upwork urlscan vercel virustotal wakatime wandb weatherbit weatherstack webflow weightsandbiases workato workos wpengine yandex yelp youtube zapier zendesk zenrows zerotier'
).split(' ');

/** Short names and words of the language: they count only as a word of their own in a name. */
const WORDS = new Set(
  (
    'beamer box brave canva crates duffel gong gov ibm influx influxdb lark linear looker mercury notion poly polar pscale render replicate salesforce segment ' +
    'shippo slack square stability sumo travis vault zai glm zlm scw ramp paradigm aws azure gcp endr endorlabs nats telegr harness xray yahoo ' +
    'jira jenkins confluence nexus travis groq plesk vultr xero'
  ).split(' '),
);

/** Names of two words as they stand in text; joined they are among the above. */
const PARTED = [
  'new-relic',
  'new_relic',
  'new relic',
  'new-york-times',
  'message-bird',
  'message_bird',
  'private_ai',
  'private-ai',
  'linked-in',
  'linked_in',
];

/** Literals that may name a vendor. */
export const VENDOR_NAMES: ReadonlySet<string> = new Set([...DISTINCT, ...WORDS, ...PARTED]);

/** A host without its last part, which says nothing about a secret: `api.acme.info`. */
export const withoutTopLevel = (host: string): string => host.slice(0, Math.max(0, host.lastIndexOf('.')));

/** What a builder or a host of code calls its revisions: `BITBUCKET_COMMIT`. */
const OF_SOURCES = new Set('commit commits revision revisions rev branch tag build checkout'.split(' '));

const JOINED = new RegExp(DISTINCT.join('|'));

/** `aws.String(`: what makes a pointer of whatever it is given. */
const POINTER = 'aws string';

/** True for words of an identifier that name a vendor and do not end in a word about the vendor's secret. */
export function wordsNameVendor(words: readonly string[]): boolean {
  if (words.length === 2 && words.join(' ') === POINTER) return false;
  if (OF_SOURCES.has(words[words.length - 1] ?? '')) return false;
  const catalogued = endOfCatalogued(words);
  if (catalogued >= 0) return !isAboutSecret(words.slice(catalogued));
  return (words.some((word) => WORDS.has(word)) || JOINED.test(words.join(''))) && !isAboutSecret(words);
}
