// Keeps the code in documents equal to code that is compiled and run. A document names a region of
// a source file in a comment, and the fence below it holds that region: <!-- snippet:
// examples/snippets/src/compose.ts#compose -->
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from '../list-files.js';

/** Every document of the repository that people read, the packages' own pages included. */
export function listDocuments(root: string): string[] {
  const top = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  const packages = listFiles(root, 'packages', '/README.md').filter((file) => file.split('/').length === 3);
  return [...top, ...listFiles(root, 'docs', '.md'), ...packages].sort();
}

/**
 * The lines between `// #region name` and `// #endregion`, without their common indentation. Throws
 * where there is no such region.
 */
export function regionOf(source: string, name: string): string {
  const lines = source.split('\n');
  const first = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  const last = lines.findIndex((line, at) => at > first && line.trim() === '// #endregion');
  if (first < 0 || last < 0) throw new Error(`no region "${name}"`);
  const inside = lines.slice(first + 1, last);
  const indent = Math.min(
    ...inside.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
  );
  return inside.map((line) => line.slice(indent)).join('\n');
}

const snippet = /(<!-- snippet: (\S+)#(\S+) -->\n```\w+\n)([\s\S]*?)(\n?```)/g;

/** The document with each marked fence holding its region. Throws where a file or region is missing. */
export function fillSnippets(root: string, text: string): string {
  return text.replaceAll(snippet, (_whole, head: string, file: string, name: string) => {
    return `${head}${regionOf(readFileSync(join(root, file), 'utf8'), name)}\n\`\`\``;
  });
}

/** TypeScript fences that name no region: nothing compiles them. */
export function looseFences(text: string): string[] {
  const marked = text.replaceAll(snippet, '');
  return [...marked.matchAll(/^```(?:ts|typescript)\n([^\n]*)/gm)].map(([, first = '']) => first);
}

/** Targets of links inside the repository, without their anchors, relative to the document. */
export function localLinks(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^([a-z]+:|#)/.test(target)).map((target) => target.replace(/#.*/, ''));
}
