import { inline, styleSheet } from './html-style.js';
import { escapeHtml } from './visible-text.js';

/** The words of a page that stand around its sections. */
export interface PageTexts {
  /** BCP 47. */
  lang: string;
  title: string;
  /** What mail clients show beside the subject; hidden in the mail itself. */
  preview: string;
  footer: string;
  /** Where the reader stops these mails. */
  unsubscribe: { word: string; url: string | undefined };
}

function unsubscribeLink({ unsubscribe: { word, url } }: PageTexts): string {
  if (url === undefined) return '';
  return ` <a class="a" href="${escapeHtml(url)}" style="${inline.button}">${escapeHtml(word)}</a>`;
}

/** One HTML mail: each section, HTML already, is a row of the card; empty ones are left out. */
export function renderPage(texts: PageTexts, sections: readonly string[]): string {
  const row = (html: string): string => `<tr><td class="t" style="${inline.cell}">\n${html}\n</td></tr>`;
  const table = '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"';
  return [
    '<!DOCTYPE html>',
    `<html lang="${escapeHtml(texts.lang)}">`,
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">',
    `<title>${escapeHtml(texts.title)}</title>`,
    `<style>\n${styleSheet}\n</style></head>`,
    `<body class="bg" style="${inline.page}">`,
    `<div style="${inline.hidden}">${escapeHtml(texts.preview)}</div>`,
    `${table} class="bg" style="background:#eef1f5;${inline.table}"><tr><td class="fr" align="center" style="${inline.frame}">`,
    `${table} class="cd" style="${inline.card}">`,
    ...sections.filter((section) => section !== '').map(row),
    row(`<p class="m ln" style="${inline.foot}">${escapeHtml(texts.footer)}${unsubscribeLink(texts)}</p>`),
    '</table></td></tr></table></body></html>',
    '',
  ].join('\n');
}
