import type { Severity } from '@criticizer/core/ports';

interface Paint {
  ink: string;
  paper: string;
}

/** Text on a tint; each pair has a contrast of at least 4.5 : 1. The word always stands beside the colour. */
const light: Record<Severity | 'clean' | 'incomplete', Paint> = {
  critical: { ink: '#9f1239', paper: '#ffe4e6' },
  high: { ink: '#9a3412', paper: '#ffedd5' },
  medium: { ink: '#854d0e', paper: '#fef3c7' },
  low: { ink: '#1e40af', paper: '#dbeafe' },
  info: { ink: '#334155', paper: '#e8edf3' },
  clean: { ink: '#166534', paper: '#dcfce7' },
  incomplete: { ink: '#5b21b6', paper: '#ede9fe' },
};
const dark: typeof light = {
  critical: { ink: '#fecdd3', paper: '#5b1526' },
  high: { ink: '#fed7aa', paper: '#57240f' },
  medium: { ink: '#fde68a', paper: '#4a330b' },
  low: { ink: '#bfdbfe', paper: '#1c3263' },
  info: { ink: '#d5dde7', paper: '#323d4b' },
  clean: { ink: '#bbf7d0', paper: '#14432a' },
  incomplete: { ink: '#ddd6fe', paper: '#3a2a66' },
};

export const tones = Object.keys(light) as (keyof typeof light)[];
export type Tone = (typeof tones)[number];

const SANS = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO = "ui-monospace,Consolas,Menlo,'Liberation Mono',monospace";

/** Inline styles, for clients that drop style sheets. Short: they repeat. */
export const inline = {
  page: 'margin:0;padding:0;background:#eef1f5',
  frame: 'padding:24px 12px',
  /** Fixed: a long path makes no table wider than the screen. */
  table: 'table-layout:fixed',
  card: 'width:100%;max-width:720px;table-layout:fixed;background:#ffffff;border:1px solid #d9dfe7;border-radius:10px',
  /** Everything in a cell inherits its breaks; `break-word` is for clients without `anywhere`. */
  cell: `padding:0 28px;color:#1c2430;font:15px/23px ${SANS};text-align:left;word-break:break-word;overflow-wrap:anywhere`,
  brand:
    'margin:26px 0 6px;color:#566373;font-size:12px;line-height:18px;font-weight:600;letter-spacing:.08em;text-transform:uppercase',
  title: 'margin:0 0 6px;font-size:22px;line-height:29px;font-weight:650',
  meta: 'margin:0;color:#566373;font-size:13px;line-height:20px',
  button: 'color:#1d4ed8;font-weight:600;text-decoration:underline',
  h2: 'margin:26px 0 8px;font-size:16px;line-height:23px;font-weight:650',
  group: 'margin:28px 0 0;padding:20px 0 0;border-top:1px solid #d9dfe7;font-size:16px;line-height:23px',
  text: 'margin:0;white-space:pre-wrap',
  path: `margin:18px 0 0;padding:6px 10px;background:#f3f5f8;border-radius:6px;color:#334155;font:13px/19px ${MONO}`,
  entry: 'margin:16px 0 0;font-weight:600',
  facts: 'margin:2px 0 6px;color:#566373;font-size:13px;line-height:19px',
  label: 'margin:10px 0 0;color:#566373;font-size:13px;line-height:19px;font-weight:600',
  brief: 'margin:8px 0 0',
  box: `margin:3px 0 0;padding:8px 12px;border-left:3px solid #b8c3d1;background:#f7f9fb;font:13px/20px ${MONO};white-space:pre-wrap`,
  list: `margin:2px 0 0;color:#334155;font:13px/20px ${MONO}`,
  foot: 'margin:28px 0 24px;padding:14px 0 0;border-top:1px solid #d9dfe7;color:#566373;font-size:12px;line-height:18px',
  hidden: 'display:none;max-height:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px',
} as const;

/** A word on its tint. */
export const badge = (tone: Tone, margin = '0 6px 6px 0'): string =>
  `display:inline-block;margin:${margin};padding:3px 11px;border-radius:12px;background:${light[tone].paper};color:${light[tone].ink};font-size:13px;line-height:19px;font-weight:600`;

/** A boxed remark. */
export const note = (tone: Tone): string =>
  `margin:14px 0 0;padding:10px 14px;border-left:4px solid ${light[tone].ink};border-radius:4px;background:${light[tone].paper};color:${light[tone].ink}`;

const darkRules: readonly [string, string][] = [
  ['.bg', 'background:#0d1117'],
  ['.cd', 'background:#161c24;border-color:#2d3744'],
  ['.t', 'color:#e5eaf0'],
  ['.m', 'color:#9fadbd'],
  ['.p', 'background:#212a35;color:#d3dce6'],
  ['.x', 'background:#1c242e;border-color:#475669;color:#d3dce6'],
  ['.l', 'color:#d3dce6'],
  ['.ln', 'border-color:#2d3744'],
  ['.a', 'color:#93c5fd'],
  ...tones.map((tone): [string, string] => [
    `.${tone}`,
    `background:${dark[tone].paper};color:${dark[tone].ink};border-color:${dark[tone].ink}`,
  ]),
];

const important = (declarations: string): string =>
  declarations
    .split(';')
    .map((declaration) => `${declaration}!important`)
    .join(';');

/** Dark colours for clients that say they are dark, and for Outlook's own marks; small screens get narrower margins. */
export const styleSheet = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  'body{-webkit-text-size-adjust:100%}',
  '@media (max-width:480px){.t{padding-left:16px!important;padding-right:16px!important}.fr{padding:0!important}}',
  `@media (prefers-color-scheme:dark){${darkRules.map(([selector, rule]) => `${selector}{${important(rule)}}`).join('')}}`,
  ...darkRules.map(([selector, rule]) => `[data-ogsc] ${selector}{${important(rule)}}`),
].join('\n');
