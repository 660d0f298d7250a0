import type { ChangedFile } from '../../../changes/change.js';

const pairs: readonly (readonly string[])[] = [
  ['.h', '.hpp', '.hh', '.c', '.cc', '.cpp', '.cxx', '.inl', '.m', '.mm'],
  ['.ts', '.tsx', '.js', '.jsx', '.d.ts'],
];

/** Names of files with the same stem that belong to a file: its header, its implementation. */
export function counterpartsOf(path: string): readonly string[] {
  const [, stem = '', extension = ''] = /([^/]*?)(\.[A-Za-z0-9.]+)$/.exec(path) ?? [];
  const group = pairs.find((one) => one.includes(extension)) ?? [];
  return stem === '' ? [] : group.filter((one) => one !== extension).map((one) => stem + one);
}

/** Names of files that may define a type, by the type's name: also without the prefix letter of Unreal. */
export function typeFilesOf(name: string, path: string): readonly string[] {
  if (!/^[A-Z]/.test(name)) return [];
  const extension = /\.[A-Za-z0-9]+$/.exec(path)?.[0] ?? '';
  const stems = /^[AUFIES][A-Z][a-z]/.test(name) ? [name, name.slice(1)] : [name];
  const extensions = pairs[0]?.includes(extension) === true ? ['.h'] : [extension];
  return stems.flatMap((stem) => extensions.map((end) => stem + end));
}

/** True for a file that code names by its file name: data, settings, scripts, shaders, and what is gone. */
export function isNamedByFile({ path, action, oldPath }: Pick<ChangedFile, 'path' | 'action' | 'oldPath'>): boolean {
  return (
    action === 'delete' ||
    oldPath !== null ||
    /\.(?:ini|json|ya?ml|xml|csv|tsv|toml|cfg|conf|txt|lua|sql|hlsl|glsl|shader|vert|frag|proto)$/i.test(path)
  );
}
