import { ALNUM, BANG, BASE64, BASE64URL, DIGIT, HEX, HEX_DASH, LOWER, PERCENT, TOKEN68, UPPER } from '../charset.js';

/** A vendor's token by its literal head: what may follow, at least how much, and how sure the head alone makes it. */
export interface VendorShape {
  rule: string;
  head: string;
  mask: number;
  min: number;
  /** A longer run is something else. Formats grow, so the limit is generous where the head is unmistakable. */
  max: number;
  /** `unique`: nothing else starts so. `common`: the head is a word or very short, the rest must look random. */
  headIs: 'unique' | 'common';
  /** The vendor ends the token with a CRC-32 in base 62. */
  checksum: boolean;
}

const LOWER_ALNUM = LOWER | DIGIT;
const UPPER_ALNUM = UPPER | DIGIT;
const MASKS: Readonly<Record<string, number>> = {
  alnum: ALNUM,
  lower: LOWER_ALNUM,
  upper: UPPER_ALNUM,
  hex: HEX,
  hexdash: HEX_DASH,
  url: BASE64URL,
  b64: BASE64,
  any: TOKEN68,
  percent: TOKEN68 | PERCENT,
  salesforce: TOKEN68 | BANG,
};

/** rule, alphabet, shortest rest, longest rest, heads. Documented lengths with room to grow. */
type Row = readonly [rule: string, alphabet: string, min: number, max: number, heads: string];

const UNIQUE: readonly Row[] = [
  ['huggingface-token', 'alnum', 30, 40, 'hf_ api_org_'],
  ['1password-token', 'b64', 120, 2000, 'ops_eyJ'],
  ['adobe-client-secret', 'lower', 32, 40, 'p8e-'],
  ['age-secret-key', 'upper', 50, 64, 'AGE-SECRET-KEY-1'],
  ['aikido-token', 'alnum', 20, 120, 'AIK_CLIENT_ AIK_SECRET_ AIK_CI_'],
  ['anthropic-key', 'url', 40, 200, 'sk-ant-api03- sk-ant-admin01- sk-ant-oat01- sk-ant-ort01- sk-ant-sid01-'],
  ['apify-token', 'alnum', 30, 60, 'apify_api_'],
  ['artifactory-token', 'alnum', 56, 80, 'AKCp cmVmd'],
  ['asaas-token', 'any', 24, 400, '$aact_'],
  ['atlassian-token', 'any', 30, 300, 'ATATT3xFf ATCTT3xFf ATBB BBDC-'],
  ['aws-access-key', 'upper', 16, 17, 'AKIA ASIA ABIA ACCA'],
  ['aws-bedrock-key', 'b64', 100, 400, 'ABSK'],
  ['aws-bedrock-key', 'alnum', 20, 4000, 'bedrock-api-key-'],
  ['buildkite-token', 'url', 36, 400, 'bkua_ bkaa_ bkaj_ bkar_ bkct_ bkpt_ bkpat_ bkps_'],
  ['cfxre-key', 'url', 20, 80, 'cfxk_'],
  ['circleci-token', 'url', 40, 90, 'CCIPAT_ CCIPRJ_'],
  ['clojars-token', 'lower', 50, 70, 'CLOJARS_'],
  ['cloudflare-token', 'hexdash', 140, 200, 'v1.0-'],
  ['cloudflare-token', 'url', 36, 80, 'cfut_ cfat_ cfk_'],
  ['cockroach-key', 'url', 50, 80, 'CCDB1_'],
  ['configcat-key', 'b64', 40, 60, 'configcat-sdk-1/'],
  ['databricks-token', 'hexdash', 32, 36, 'dapi'],
  ['datastax-token', 'any', 20, 140, 'AstraCS:'],
  ['digitalocean-token', 'hex', 60, 80, 'dop_v1_ doo_v1_ dor_v1_'],
  ['docker-token', 'url', 24, 60, 'dckr_pat_ dckr_oat_'],
  ['docker-swarm-key', 'any', 40, 100, 'SWMTKN-1- SWMKEY-1-'],
  ['doppler-token', 'any', 40, 60, 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.'],
  ['dynatrace-token', 'any', 80, 110, 'dt0c01. dt0s01. dt0s16.'],
  ['easypost-key', 'alnum', 50, 60, 'EZAK EZTK'],
  ['elastic-key', 'b64', 50, 160, 'essu_'],
  ['facebook-token', 'alnum', 90, 400, 'EAAM EAAC'],
  ['figma-token', 'url', 36, 60, 'figd_ figo_ figu_'],
  ['flutterwave-key', 'url', 12, 60, 'FLWSECK_TEST- FLWSECK-'],
  ['flyio-token', 'any', 80, 2000, 'fo1_ fm1r_ fm1a_ fm2_'],
  ['frameio-token', 'b64', 60, 70, 'fio-u-'],
  ['github-token', 'url', 76, 100, 'github_pat_'],
  ['gitlab-token', 'any', 18, 320, 'glpat- gldt- glrt- glrtr- glft- glptt- glcbt- glsoat- glagent- glimt- glffct- gloas- glwt-'],
  ['gitlab-token', 'url', 20, 24, 'GR1348941'],
  ['google-key', 'url', 35, 39, 'AIza'],
  ['google-oauth', 'url', 24, 40, 'GOCSPX-'],
  ['google-oauth', 'any', 40, 2000, 'ya29.'],
  ['google-key', 'url', 40, 60, 'AQ.Ab8RN6'],
  ['grafana-token', 'b64', 32, 400, 'glc_ eyJrIjoi'],
  ['grafana-token', 'url', 40, 44, 'glsa_'],
  ['groq-key', 'alnum', 48, 60, 'gsk_'],
  ['vault-token', 'url', 24, 400, 'hvs. hvb. hvr.'],
  ['heroku-key', 'url', 50, 70, 'HRKU-AA'],
  ['intra42-secret', 'any', 60, 80, 's-s4t2'],
  ['langsmith-key', 'url', 40, 60, 'lsv2_pt_ lsv2_sk_'],
  ['linear-key', 'alnum', 36, 60, 'lin_api_ lin_oauth_'],
  ['mailgun-key', 'hexdash', 32, 60, 'mailgun-key-'],
  ['mercury-token', 'any', 40, 100, 'secret-token:mercury_production_ mercury_production_'],
  ['mergify-key', 'url', 40, 110, 'mergify_application_key_'],
  ['mongodb-atlas-secret', 'url', 36, 60, 'mdb_sa_sk_'],
  ['newrelic-key', 'url', 16, 48, 'NRAK- NRII- NRIQ- NRRA- NRBR- NRJS-'],
  ['notion-token', 'alnum', 40, 60, 'ntn_'],
  ['nvidia-key', 'url', 50, 90, 'nvapi-'],
  ['onepassword-key', 'url', 30, 60, 'A3-'],
  ['onesignal-key', 'url', 80, 130, 'os_v2_'],
  ['onfido-token', 'any', 20, 100, 'api_live. api_live_us. api_live_ca. api_sandbox.'],
  ['openai-key', 'url', 40, 240, 'sk-proj- sk-svcacct- sk-admin- sk-None-'],
  ['openrouter-key', 'hex', 60, 70, 'sk-or-v1-'],
  ['openshift-token', 'url', 40, 48, 'sha256~'],
  ['paddle-key', 'url', 40, 80, 'pdl_live_apikey_ pdl_sdbx_apikey_'],
  ['perplexity-key', 'alnum', 40, 60, 'pplx-'],
  ['persona-key', 'url', 20, 90, 'persona_production_ persona_sandbox_'],
  ['pinecone-key', 'url', 60, 90, 'pcsk_'],
  ['planetscale-token', 'any', 30, 80, 'pscale_pw_ pscale_tkn_ pscale_oauth_'],
  ['posthog-key', 'url', 36, 60, 'phx_'],
  ['postman-key', 'hexdash', 50, 70, 'PMAK-'],
  ['prefect-token', 'alnum', 34, 40, 'pnu_ pnb_'],
  ['pypi-token', 'url', 40, 600, 'pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw'],
  ['ramp-secret', 'alnum', 40, 60, 'ramp_sec_'],
  ['readme-key', 'lower', 60, 80, 'rdme_'],
  ['rootly-key', 'hex', 60, 70, 'rootly_'],
  ['rubygems-key', 'hex', 44, 60, 'rubygems_'],
  ['samsara-token', 'alnum', 24, 60, 'samsara_api_'],
  ['scalingo-token', 'url', 46, 52, 'tk-us-'],
  ['sendinblue-key', 'url', 70, 100, 'xkeysib- xsmtpsib-'],
  ['sentry-token', 'any', 60, 300, 'sntrys_'],
  ['sentry-token', 'hex', 60, 70, 'sntryu_'],
  ['settlemint-token', 'alnum', 16, 24, 'sm_pat_ sm_aat_ sm_sat_'],
  ['shopify-token', 'alnum', 30, 60, 'shpss_ shpat_ shpca_ shppa_'],
  ['slack-token', 'any', 20, 300, 'xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxe- xapp- xoxe.xoxb- xoxe.xoxp-'],
  ['slack-token', 'percent', 60, 400, 'xoxd-'],
  ['sourcegraph-token', 'url', 38, 70, 'sgp_ slk_'],
  ['square-token', 'url', 19, 70, 'sq0atp- sq0csp- EAAA'],
  ['stripe-key', 'alnum', 16, 260, 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_'],
  ['stripe-webhook-secret', 'b64', 24, 80, 'whsec_'],
  ['supabase-token', 'url', 30, 60, 'sbp_ sb_secret_'],
  ['tailscale-key', 'url', 18, 60, 'tskey-api- tskey-auth- tskey-client- tskey-scim- tskey-webhook-'],
  ['together-key', 'url', 40, 60, 'tgp_v1_'],
  ['typeform-token', 'any', 40, 80, 'tfp_'],
  ['upcloud-token', 'alnum', 22, 40, 'ucat_'],
  ['valtown-token', 'url', 20, 70, 'vtwn_'],
  ['vercel-token', 'url', 50, 70, 'vcp_ vci_ vca_ vcr_ vck_'],
  ['wakatime-key', 'any', 32, 80, 'waka_'],
  ['wandb-key', 'url', 60, 100, 'wandb_v1_'],
  ['yandex-key', 'url', 34, 60, 'AQVN'],
  ['langfuse-key', 'hexdash', 32, 40, 'sk-lf- pk-lf-'],
  ['aiven-token', 'b64', 300, 420, 'MOLXG502hGM9DsUSyvKVf2cx'],
  ['aiven-password', 'alnum', 18, 40, 'AVNS_'],
  ['braintree-token', 'any', 30, 80, 'access_token$production$ access_token$sandbox$'],
  ['aws-session-token', 'b64', 100, 2000, 'IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz FQoDYXdz'],
];

/** Issued with a CRC-32 in base 62 at the end. */
const CHECKED: readonly Row[] = [
  ['github-token', 'alnum', 36, 255, 'ghp_ gho_ ghu_ ghs_ ghr_'],
  ['npm-token', 'alnum', 36, 40, 'npm_'],
];

const COMMON: readonly Row[] = [
  ['deno-token', 'alnum', 36, 40, 'ddp_ ddo_'],
  ['devcycle-key', 'url', 8, 60, 'dvc_client_ dvc_mobile_ dvc_server_'],
  ['duffel-token', 'any', 40, 60, 'duffel_'],
  ['harness-token', 'any', 60, 80, 'pat. sat.'],
  ['infracost-key', 'alnum', 30, 36, 'ico-'],
  ['ionic-token', 'alnum', 40, 44, 'ion_'],
  ['mailersend-token', 'alnum', 30, 80, 'mlsn.'],
  ['neon-key', 'alnum', 48, 80, 'napi_'],
  ['polar-token', 'url', 20, 80, 'polar_oat_ polar_pat_ polar_at_'],
  ['pulumi-token', 'hex', 38, 48, 'pul-'],
  ['replicate-token', 'alnum', 36, 44, 'r8_'],
  ['runpod-key', 'alnum', 28, 60, 'rpa_'],
  ['segment-token', 'alnum', 40, 80, 'sgp_'],
  ['shippo-token', 'alnum', 36, 60, 'shippo_live_ shippo_test_'],
  ['unkey-key', 'alnum', 18, 40, 'unkey_'],
  ['xai-key', 'url', 60, 120, 'xai-'],
  ['razorpay-key', 'alnum', 14, 30, 'rzp_live_ rzp_test_'],
  ['resend-key', 'url', 24, 60, 're_'],
  ['tavily-key', 'url', 20, 60, 'tvly-'],
  ['fireworks-key', 'alnum', 22, 40, 'fw_'],
  ['authress-key', 'any', 50, 140, 'sc_ ext_ scauth_ authress_'],
  ['dropbox-token', 'url', 120, 200, 'sl.'],
  ['flyio-token', 'any', 80, 2000, 'FlyV1'],
  ['midtrans-key', 'url', 16, 40, 'Mid-server- Mid-client- SB-Mid-server-'],
  ['salesforce-token', 'salesforce', 90, 140, '00D'],
  ['shippo-token', 'url', 30, 60, 'shippo_'],
  ['yandex-token', 'any', 100, 260, 't1.'],
  ['zuplo-key', 'any', 36, 60, 'zpka_'],
  ['alibaba-access-key', 'alnum', 16, 24, 'LTAI'],
  ['alibaba-access-key', 'alnum', 16, 60, 'STS.'],
  ['canva-secret', 'url', 48, 56, 'cnvca'],
  ['cerebras-key', 'lower', 44, 52, 'csk-'],
  ['clickhouse-secret', 'alnum', 38, 38, '4b1d'],
  ['cloudsmith-key', 'alnum', 34, 40, 'csa_'],
  ['devin-key', 'b64', 70, 180, 'apk_user_ apk_'],
  ['devin-key', 'lower', 48, 60, 'cog_'],
  ['endorlabs-key', 'alnum', 16, 24, 'endr+'],
  ['exoscale-key', 'alnum', 24, 32, 'EXO'],
  ['highnote-key', 'b64', 40, 100, 'sk_live_a2V5Xz'],
  ['klaviyo-key', 'hex', 32, 40, 'pk_'],
  ['lark-secret', 'lower', 16, 16, 'cli_'],
  ['lichess-token', 'url', 16, 60, 'lip_'],
  ['lob-key', 'hex', 30, 40, 'live_ test_ live_pub_ test_pub_'],
  ['mailgun-key', 'hex', 32, 32, 'key-'],
  ['minimax-key', 'url', 100, 140, 'sk-api-'],
  ['nuget-key', 'lower', 43, 43, 'oy2'],
  ['octopus-key', 'upper', 25, 32, 'API-'],
  ['openai-key', 'alnum', 32, 64, 'sk-'],
  ['brave-key', 'url', 25, 32, 'BSA'],
  ['pinterest-token', 'url', 24, 64, 'pina_'],
  ['posthog-key', 'url', 40, 48, 'phc_'],
  ['proof-key', 'url', 24, 70, 'prf_'],
  ['render-key', 'alnum', 28, 36, 'rnd_'],
  ['terraform-token', 'any', 60, 100, 'atlasv1.'],
  ['thunderstore-token', 'url', 22, 64, 'tss_'],
  ['workato-token', 'any', 90, 260, 'wrka'],
  ['notion-token', 'alnum', 43, 43, 'secret_'],
];

/** Every vendor shape known by its head. */
export function vendorShapes(): VendorShape[] {
  return [
    ...CHECKED.flatMap((row) => expand(row, 'unique', true)),
    ...UNIQUE.flatMap((row) => expand(row, 'unique', false)),
    ...COMMON.flatMap((row) => expand(row, 'common', false)),
  ];
}

function expand([rule, alphabet, min, max, heads]: Row, headIs: VendorShape['headIs'], checksum: boolean): VendorShape[] {
  const mask = MASKS[alphabet];
  if (mask === undefined) throw new TypeError(`vendor shape ${rule}: no alphabet ${alphabet}`);
  return heads.split(' ').map((head) => ({ rule, head, mask, min, max, headIs, checksum }));
}
