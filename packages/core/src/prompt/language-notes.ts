/** Kinds of file that the system text has notes for, in the order in which it gives them. */
const notes = {
  'C and C++':
    'owner and lifetime of memory (use after free or move, dangling views, invalidated iterators), bounds, signed overflow, uninitialised members, paths that skip a free or unlock, data races, lock order.',
  'C#': 'IDisposable without using, async void, blocking on a task, events never unsubscribed, null after as, lazy sequences enumerated twice, state shared between threads.',
  Java: 'resources outside try-with-resources, == on strings or boxes, equals without hashCode, swallowed InterruptedException, unguarded shared state.',
  Python:
    'mutable default arguments, late binding in closures, except that hides errors, files or locks without with, blocking calls in async code, bytes for text.',
  'JavaScript and TypeScript':
    'promises not awaited, await within forEach, 0 or "" lost to ||, shared objects mutated, casts that hide undefined, HTML or patterns built from input.',
  Lua: 'globals for want of local, indexes from 1, # over holes, nil ending a list, false in and-or chains, dot for colon in calls, coroutines and callbacks that keep references.',
  Go: 'errors ignored or shadowed by :=, defer in loops, goroutines that never end, nil maps, typed nil in interfaces, copied locks, append to a shared array, context not passed on.',
  Shaders:
    'precision (half where positions or time need float), units and spaces (degrees or radians, linear or sRGB, object, world or view), division by zero, normalize of zero, NaN, derivatives in branches, layout of constant buffers.',
  SQL: 'values joined into statements instead of bound, updates without WHERE, NULL in comparisons, migrations that lock or lose data, transactions left open.',
  Shell:
    'unquoted variables, input that becomes a command, unchecked exit codes, failures within pipes, deletes by an empty variable, files in predictable temporary places.',
  Configuration:
    'units (seconds or milliseconds, MB or MiB), defaults changed for those who rely on them, renamed keys that code still reads, values of another environment, wider permissions.',
} as const satisfies Readonly<Record<string, string>>;

/** A kind of file that the system text has notes for. */
export type NotedLanguage = keyof typeof notes;

/** Extensions, and names of files without one, by kind. */
const endings: Readonly<Record<NotedLanguage, string>> = {
  'C and C++': 'c h cc cp cpp cxx c++ hh hp hpp hxx h++ inl ipp ixx tcc tpp txx cppm cu cuh m mm',
  'C#': 'cs csx razor cshtml',
  Java: 'java',
  Python: 'py pyi pyw pyx pxd sconstruct sconscript wscript',
  'JavaScript and TypeScript': 'js jsx mjs cjs ts tsx mts cts vue svelte',
  Lua: 'lua luau',
  Go: 'go',
  Shaders:
    'hlsl hlsli fx fxh usf ush shader cginc compute glsl vert frag geom comp tesc tese glslv glslf metal wgsl cg',
  SQL: 'sql ddl psql pgsql plsql tsql pks pkb',
  Shell: 'sh bash zsh ksh bat cmd ps1 psm1',
  Configuration: 'ini cfg conf toml yaml yml json jsonc json5 properties env xml config editorconfig',
};

const languages = Object.keys(notes) as readonly NotedLanguage[];
const byEnding: ReadonlyMap<string, NotedLanguage> = new Map(
  languages.flatMap((language) => endings[language].split(' ').map((ending) => [ending, language] as const)),
);

function findLanguage(path: string): NotedLanguage | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return byEnding.get(name.slice(name.lastIndexOf('.') + 1));
}

/** The kinds of these files that have notes, each once, in a fixed order. Reads names alone. */
export function listNotedLanguages(paths: readonly string[]): readonly NotedLanguage[] {
  const found = new Set(paths.map(findLanguage));
  return languages.filter((language) => found.has(language));
}

/** The section of the system text for these kinds of file, in a fixed order; empty for none. Trusted text. */
export function renderLanguageNotes(kinds: readonly NotedLanguage[]): string {
  if (kinds.length === 0) return '';
  const shown = languages.filter((language) => kinds.includes(language));
  return [
    '# Look for, by kind of file',
    'Beside what the code itself suggests; report only what this change has.',
    ...shown.map((language) => `- ${language}: ${notes[language]}`),
    '',
  ].join('\n');
}
