import type { CodeReviewComment, CodeReviewRecord, CodeReviewState } from './code-review-records.js';

const styles = `
body{font:14px/1.5 system-ui,sans-serif;color:#1f2328;margin:24px auto;max-width:1040px;padding:0 16px}
h1{font-size:20px;margin:0 0 4px}h2{font:600 13px ui-monospace,monospace;background:#eef1f4;padding:6px 10px;margin:24px 0 0}
.about{color:#59636e;margin:0 0 16px}.code{border:1px solid #d1d9e0;border-top:0}
.line{display:flex;font:12px/20px ui-monospace,monospace;white-space:pre-wrap}
.line b{flex:0 0 44px;text-align:right;padding-right:10px;color:#818b98;font-weight:400}.line.marked{background:#fff8c5}
.note{border:1px solid #d1d9e0;border-left:4px solid #0969da;border-radius:4px;margin:8px 10px;padding:8px 12px;background:#fff}
.note.archived{border-left-color:#afb8c1;color:#818b98;background:#f6f8fa}
.note header{font-size:12px;color:#59636e;margin-bottom:4px}.note p{margin:0 0 6px;white-space:pre-wrap;overflow-wrap:anywhere}
.note ul{margin:0 0 6px;padding-left:22px}.note p:last-child{margin:0}.note em{color:#59636e}
.note pre{margin:0 0 6px;padding:8px 10px;background:#eff1f3;border-radius:4px;overflow-x:auto;font:12px/18px ui-monospace,monospace}
.live{background:#ffebe9;color:#a40e26}.ref{color:#0969da}code{font-family:ui-monospace,monospace;background:#eff1f3;padding:0 3px}
`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);

/** What the server would act on: whom it would add to the review, and what it would make a link of. */
const mention = /(?<=^|[\s(])(@{1,2}[*!]?[A-Za-z0-9_.-]+)/g;
const reference = /(?<=^|[\s(])(job\d{6}|(?:change|review) \d+)/g;

/** Markdown in safe mode within a line: bold, stress, code, links; a backslash keeps a sign as it is. */
function renderLine(text: string): string {
  const kept: string[] = [];
  const parts = text.replaceAll(/\\([\\`*_{}[\]()<>#+\-.!|~@&])/g, (_whole, sign: string) => {
    kept.push(sign);
    return `\uE000${kept.length - 1}\uE000`;
  });
  const html = escapeHtml(parts)
    .replaceAll(mention, '<span class="live">$1</span>')
    .replaceAll(reference, '<span class="ref">$1</span>')
    .replaceAll(/`([^`\n]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^\]\n]+)\]\((https?:[^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\*([^*\n]+)\*/g, '<em>$1</em>');
  return html.replaceAll(/\uE000(\d+)\uE000/g, (_whole, index: string) => escapeHtml(kept[Number(index)] ?? ''));
}

/** Paragraphs and lists; what is neither in a fence nor a list is a paragraph. */
function renderProse(text: string): string {
  return text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const lines = part.split('\n');
      if (!lines.every((line) => line.startsWith('- '))) return `<p>${renderLine(part)}</p>`;
      return `<ul>${lines.map((line) => `<li>${renderLine(line.slice(2))}</li>`).join('')}</ul>`;
    })
    .join('');
}

/** A body as the server shows it: mentions, which code does not protect from, are marked. */
function renderBody(body: string): string {
  const fenced = /^(`{3,})\n([\s\S]*?)\n\1$/gm;
  let html = '';
  let at = 0;
  for (const found of body.matchAll(fenced)) {
    const code = escapeHtml(found[2] ?? '').replaceAll(mention, '<span class="live">$1</span>');
    html += `${renderProse(body.slice(at, found.index))}<pre>${code}</pre>`;
    at = found.index + found[0].length;
  }
  return html + renderProse(body.slice(at));
}

function lastLine(line: CodeReviewComment['context']['rightLine']): number | null {
  return typeof line === 'object' && line !== null ? line[1] : (line ?? null);
}

function renderComment({ id, user, body, context, flags, edited, taskState }: CodeReviewComment): string {
  const isArchived = flags.includes('closed');
  const facts = [
    `#${id}`,
    escapeHtml(user),
    ...(context.version === undefined ? [] : [`version ${context.version}`]),
    ...(edited === null ? [] : ['edited']),
    ...(taskState === 'comment' ? [] : [`task: ${escapeHtml(taskState)}`]),
    ...(isArchived ? ['archived'] : []),
  ];
  const kind = isArchived ? 'note archived' : 'note';
  return `<div class="${kind}"><header>${facts.join(' · ')}</header>${renderBody(body)}</div>`;
}

function renderFile(path: string, text: string, comments: readonly CodeReviewComment[]): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const at = (line: number | null): string =>
    comments
      .filter(({ context }) => {
        const place = lastLine(context.rightLine) ?? lastLine(context.leftLine);
        return (place !== null && place <= lines.length ? place : null) === line;
      })
      .map(renderComment)
      .join('');
  const rows = lines.map((line, index) => {
    const notes = at(index + 1);
    const kind = notes === '' ? 'line' : 'line marked';
    return `<div class="${kind}"><b>${index + 1}</b><span>${escapeHtml(line) || ' '}</span></div>${notes}`;
  });
  return `<h2>${escapeHtml(path)}</h2><div class="code">${at(null)}${rows.join('')}</div>`;
}

/** The page of a review at its newest version: its files, and each comment at its line. */
export function renderReviewPage(state: CodeReviewState, review: CodeReviewRecord): string {
  const comments = state.comments.filter(({ topic }) => topic === `reviews/${review.id}`);
  const files = review.versions.at(-1)?.files ?? {};
  const about = comments.filter(({ context }) => context.file === undefined || files[context.file] === undefined);
  const parts = Object.entries(files).map(([path, text]) =>
    renderFile(
      path,
      text,
      comments.filter(({ context }) => context.file === path),
    ),
  );
  const people = [...review.participants].map(escapeHtml).join(', ');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Review ${review.id}</title><style>${styles}</style></head><body>
<h1>Review ${review.id}: ${escapeHtml(review.description)}</h1>
<p class="about">by ${escapeHtml(review.author)} · version ${review.versions.length} · changes ${review.changes.join(', ')} · participants ${people}</p>
${about.map(renderComment).join('\n')}
${parts.join('\n')}
</body></html>`;
}
