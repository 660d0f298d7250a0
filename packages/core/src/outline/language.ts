/** The languages that `outline` reads. JSX and TSX are read as JavaScript and TypeScript. */
export type Language =
  | 'c'
  | 'cpp'
  | 'csharp'
  | 'java'
  | 'python'
  | 'javascript'
  | 'typescript'
  | 'lua'
  | 'go'
  | 'hlsl'
  | 'glsl'
  | 'ini'
  | 'yaml'
  | 'json'
  | 'cmake'
  | 'xml';

/** Extensions by language. A C header may be C++, which reads both, so `.h` is C++. */
const extensions: Readonly<Record<Language, string>> = {
  c: 'c',
  cpp: 'cc cp cpp cxx c++ h hh hp hpp hxx h++ inl ipp ixx tcc tpp txx cppm ino cu cuh metal',
  csharp: 'cs csx',
  java: 'java',
  python: 'py pyi pyw pyx pxd gyp gypi bzl wscript sconscript sconstruct',
  javascript: 'js jsx mjs cjs es6',
  typescript: 'ts tsx mts cts',
  lua: 'lua luau rockspec',
  go: 'go',
  hlsl: 'hlsl hlsli fx fxh fxc usf ush shader cginc compute raytrace cg shadergraphinc azsl azsli',
  glsl: 'glsl vert frag geom comp tesc tese vs fs gs glslv glslf rgen rchit rmiss vsh fsh',
  ini: 'ini cfg conf inf toml editorconfig gitconfig desktop properties',
  yaml: 'yaml yml',
  json: 'json jsonc json5 webmanifest asmdef uplugin uproject geojson code-workspace',
  cmake: 'cmake',
  xml:
    'xml xsd xsl xslt xaml axaml csproj vcxproj fsproj vbproj sqlproj wixproj wxs wxi props targets filters nuspec ' +
    'config resx plist storyboard xib svg xhtml ui uxml qrc manifest vsixmanifest ruleset rss ' +
    'pom iml natvis natstepfilter runsettings slnx',
};

/** File names that tell the language without, or against, their extension. */
const fileNames: Readonly<Record<string, Language>> = {
  'cmakelists.txt': 'cmake',
  'cmakecache.txt': 'ini',
  sconstruct: 'python',
  sconscript: 'python',
  wscript: 'python',
  buck: 'python',
  'build.bazel': 'python',
  workspace: 'python',
  '.editorconfig': 'ini',
  '.gitconfig': 'ini',
  '.p4config': 'ini',
  '.npmrc': 'ini',
  '.clang-format': 'yaml',
  '.clang-tidy': 'yaml',
  '.prettierrc': 'json',
  '.eslintrc': 'json',
  '.babelrc': 'json',
  'go.mod': 'ini',
  'app.manifest': 'xml',
};

const byExtension = new Map<string, Language>(
  Object.entries(extensions).flatMap(([language, list]) =>
    list.split(' ').map((extension): [string, Language] => [extension, language as Language]),
  ),
);
const byFileName = new Map(Object.entries(fileNames));

/**
 * The language of a file by its name: `path` may be a depot, a local or a bare path, with `/` or `\`.
 * A revision suffix (`#3`, `@12`) is ignored. Undefined for a name that tells none. Reads no content.
 */
export function languageOf(path: string): Language | undefined {
  const name = path
    .slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
    .replace(/[#@]\d{1,10}$/, '')
    .toLowerCase();
  const known = byFileName.get(name);
  if (known !== undefined) return known;
  const dot = name.lastIndexOf('.');
  return dot < 0 ? undefined : byExtension.get(name.slice(dot + 1));
}
