/** Vendors whose tokens have no head of their own: beside these names a long mixed value counts under the strict pack. */
export const VENDOR_NAMES: readonly string[] = (
  'adafruit airtable algolia alibaba aliyun amplitude asana assemblyai bitbucket bitly bitrise bittrex checkout circleci civo clickup cloudflare cloudinary codecov cohere coinbase ' +
  'confluent contentful coveralls databento datadog deepgram deepseek discord disqus droneci dropbox elevenlabs etsy facebook fastly finicity finnhub flickr freshbooks gitea gitter gocardless ' +
  'greptile gumroad heroku honeycomb hubspot intercom jumpcloud kraken kucoin launchdarkly linkedin looker mailchimp mailgun mapbox mattermost meraki messagebird mistral netlify newrelic nytimes okta ' +
  'openweather pinecone plaid plivo rapidapi sendbird sendgrid sentry snyk sonar squarespace stability sumologic telnyx travis trello twilio twitch twitter upstage vercel wakatime wandb weatherstack yandex zendesk'
).split(' ');
