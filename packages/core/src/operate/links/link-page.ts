import { createHash } from 'node:crypto';
import type { Disposition } from '../../foundation/disposition.js';
import { makeVisibleLine } from '../../foundation/visible-text.js';
import type { ReviewFinding } from '../../review/merge/review-finding.js';

/** What the page says, above what it shows of the finding. */
export interface LinkPage {
  status: number;
  title: string;
  text: string;
  /** The finding, and the change's number and review's version it is of. */
  finding?: { finding: ReviewFinding; change: number; reviewVersion: number } | undefined;
  /** Shows the buttons that post to the link; `until` is when it ends. */
  asks?: { until: Date } | undefined;
  /** Shows the button that stops the mails. */
  stops?: { until: Date } | undefined;
}

/** What each button says. */
const buttons: Readonly<Record<Disposition, string>> = {
  false_positive: 'It is not a problem',
  wont_fix: 'We will not change it',
  acknowledged: 'We know of it',
};

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0;padding:1.5rem;display:flex;justify-content:center}
main{max-width:36rem;width:100%}h1{font-size:1.35rem;margin:0 0 .75rem}.f{border:1px solid #8886;border-radius:.5rem;padding:.75rem 1rem;margin:1rem 0;overflow-wrap:anywhere}
.f b{display:block}.m{opacity:.75;font-size:.9rem}form{display:flex;flex-wrap:wrap;gap:.5rem;margin:1.25rem 0}
button{font:inherit;padding:.55rem .9rem;border:1px solid #8888;border-radius:.4rem;background:transparent;color:inherit;cursor:pointer}
button:hover,button:focus-visible{outline:2px solid #4a8cff;outline-offset:1px}`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** Nothing is loaded, nobody frames it, no cache keeps it, and no other site learns its address. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

const maxTitleChars = 300;

const escaped: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
function escapeHtml(text: string): string {
  return makeVisibleLine(text).replace(/[&<>"']/g, (char) => escaped[char] ?? '');
}

function describe({ finding, change, reviewVersion }: NonNullable<LinkPage['finding']>): string {
  const { title, severity, category, file, place } = finding;
  const where = file === null ? '' : ` · ${file}${place.line === null ? '' : `:${place.line}`}`;
  const shown = title.length > maxTitleChars ? `${title.slice(0, maxTitleChars)}…` : title;
  return [
    `<div class="f"><b dir="auto">${escapeHtml(shown)}</b>`,
    `<span class="m">${escapeHtml(`${severity} · ${category}${where}`)}</span><br>`,
    `<span class="m">Change ${change}, review version ${reviewVersion}</span></div>`,
  ].join('');
}

function ask({ until }: NonNullable<LinkPage['asks']>): string {
  const choices = Object.entries(buttons).map(
    ([value, label]) => `<button name="disposition" value="${value}">${escapeHtml(label)}</button>`,
  );
  const day = until.toISOString().slice(0, 10);
  return `<form method="post">${choices.join('')}</form><p class="m">This link works until ${day} (UTC) and hides this one finding.</p>`;
}

function askToStop({ until }: NonNullable<LinkPage['stops']>): string {
  const day = until.toISOString().slice(0, 10);
  return `<form method="post"><button name="stop" value="yes">Send me no more of these mails</button></form><p class="m">This link works until ${day} (UTC).</p>`;
}

/** The page as an answer; `head` leaves the body out. */
export function renderLinkPage({ status, title, text, finding, asks, stops }: LinkPage, head = false): Response {
  const parts = [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<title>${escapeHtml(title)}</title><style>${style}</style></head><body><main><h1>${escapeHtml(title)}</h1>`,
    `${finding === undefined ? '' : describe(finding)}<p>${escapeHtml(text)}</p>`,
    `${asks === undefined ? '' : ask(asks)}${stops === undefined ? '' : askToStop(stops)}</main></body></html>`,
  ];
  return new Response(head ? null : parts.join('\n'), { status, headers });
}
