import type { Context } from './labelled-text.ts';

/** How a name is written in code, in the environment and in configuration. */
export interface Names {
  snake: string;
  camel: string;
  pascal: string;
  upper: string;
  kebab: string;
}

/** All spellings of a name given as lower-case words. */
function namesOf(words: string): Names {
  const parts = words
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const pascal = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('');
  return {
    snake: parts.join('_'),
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    pascal,
    upper: parts.join('_').toUpperCase(),
    kebab: parts.join('-'),
  };
}

type Form = readonly [name: string, write: (n: Names, v: string) => string, path?: string];

/** Assignments in code, configuration and logs. Without a path where a reader could not tell the language either. */
const FORMS: readonly Form[] = [
  ['ini quoted', (n, v) => `${n.camel}="${v}"`],
  ['ini quoted, spaced', (n, v) => `${n.snake} = "${v}"`],
  ['ini', (n, v) => `${n.camel}=${v}`],
  ['ini spaced', (n, v) => `${n.camel} = ${v}`],
  ['ini file', (n, v) => `[main]\nhost = a\n${n.snake} = ${v}\n`, 'app.ini'],
  ['json', (n, v) => `{\n    "${n.snake}": "${v}"\n}`],
  ['json file', (n, v) => `{"user":"svc","${n.camel}":"${v}","port":25}`, 'conf/settings.json'],
  ['json escaped', (n, v) => `\\{\n    \\"${n.snake}\\": \\"${v}\\"\n\\}`],
  ['json name and value', (n, v) => `{"name": "${n.upper}", "value": "${v}"}`],
  ['xml element', (n, v) => `<${n.camel}>${v}</${n.camel}>`],
  ['xml element, lines', (n, v) => `<${n.camel}>\n    ${v}\n</${n.camel}>`],
  ['xml entry', (n, v) => `<entry key="${n.kebab}" value="${v}" />`, 'app.xml'],
  ['xml property', (n, v) => `<property name="${n.camel}">${v}</property>`, 'app.xml'],
  ['app settings', (n, v) => `<add key="${n.pascal}" value="${v}" />`, 'web.config'],
  ['plist', (n, v) => `<key>${n.camel}</key>\n\t<string>${v}</string>`, 'Info.plist'],
  ['yaml', (n, v) => `${n.snake}: ${v}`],
  ['yaml single quotes', (n, v) => `${n.snake}: '${v}'`],
  ['yaml double quotes', (n, v) => `${n.snake}: "${v}"`],
  ['yaml nested', (n, v) => `service:\n  name: web\n  ${n.camel}: ${v}\n  replicas: 2\n`, 'deploy.yaml'],
  ['yaml literal', (n, v) => `${n.snake}: |\n  ${v}`],
  ['yaml folded', (n, v) => `${n.snake}: >\n  ${v}`],
  ['yaml name and value', (n, v) => `env:\n  - name: ${n.upper}\n    value: ${v}\n`, 'pod.yaml'],
  ['yaml environment list', (n, v) => `environment:\n  - PORT=80\n  - ${n.upper}=${v}\n`, 'docker-compose.yml'],
  ['toml', (n, v) => `${n.snake} = "${v}"`, 'app.toml'],
  ['properties', (n, v) => `main.${n.camel}=${v}`, 'app.properties'],
  ['env', (n, v) => `PORT=80\n${n.upper}=${v}\nDEBUG=1`, '.env'],
  ['env line', (n, v) => `${n.upper}=${v}`],
  ['shell export', (n, v) => `export ${n.upper}="${v}"`],
  ['shell bare', (n, v) => `export ${n.upper}=${v}\n./run`, 'run.sh'],
  ['powershell', (n, v) => `$env:${n.upper} = "${v}"`],
  ['batch', (n, v) => `set ${n.upper}=${v}\r\ncall run.bat`, 'run.bat'],
  ['dockerfile', (n, v) => `FROM node\nENV ${n.upper} ${v}\nRUN x`, 'Dockerfile'],
  ['dockerfile equals', (n, v) => `ARG ${n.upper}=${v}`, 'Dockerfile'],
  ['terraform', (n, v) => `  ${n.snake} = "${v}"`, 'main.tf'],
  ['long option', (n, v) => `tool --${n.kebab} ${v} --verbose`],
  ['long option equals', (n, v) => `tool --${n.kebab}=${v} run`],
  ['query', (n, v) => `https://api.example.com/v1?x=1&${n.snake}=${v}&fooo=bar`],
  ['header', (n, v) => `X-${n.kebab}: ${v}`],
  ['curl header', (n, v) => `curl -H "X-${n.pascal}: ${v}" https://api.example.com/v1`],
  ['c#', (n, v) => `string ${n.camel} = "${v}";`],
  ['c# property', (n, v) => `    public string ${n.pascal} { get; set; } = "${v}";`, 'Options.cs'],
  ['c define', (n, v) => `#define ${n.upper} "${v}"`],
  ['c pointer', (n, v) => `static const char *${n.snake} = "${v}";`, 'a.c'],
  ['c array', (n, v) => `char ${n.snake}[64] = "${v}";`, 'a.c'],
  ['c++', (n, v) => `const std::string k${n.pascal}{"${v}"};`, 'a.cpp'],
  ['go', (n, v) => `var ${n.camel} string = "${v}"`],
  ['go short', (n, v) => `${n.camel} := "${v}"`],
  ['go backticks', (n, v) => `${n.camel} := \`${v}\``],
  ['go field', (n, v) => `\treturn Config{Host: "x", ${n.pascal}: "${v}"}`, 'a.go'],
  ['java', (n, v) => `String ${n.camel} = "${v}";`],
  ['java constant', (n, v) => `    private static final String ${n.upper} = "${v}";`, 'A.java'],
  ['java put', (n, v) => `props.put("${n.kebab}", "${v}");`, 'A.java'],
  ['kotlin', (n, v) => `var ${n.camel} = "${v}"`],
  ['kotlin typed', (n, v) => `val ${n.camel}: String = "${v}"`, 'a.kt'],
  ['swift', (n, v) => `let ${n.camel} = "${v}"`, 'a.swift'],
  ['rust', (n, v) => `const ${n.upper}: &str = "${v}";`, 'a.rs'],
  ['objective-c', (n, v) => `NSString *${n.camel} = @"${v}";`, 'a.m'],
  ['php', (n, v) => `$${n.camel} = '${v}';`, 'a.php'],
  ['php append', (n, v) => `$${n.camel} .= "${v}"`],
  ['php define', (n, v) => `define('${n.upper}', '${v}');`, 'a.php'],
  ['php array', (n, v) => `'${n.snake}' => '${v}',`],
  ['perl', (n, v) => `my $${n.snake} = '${v}';`, 'a.pl'],
  ['python', (n, v) => `${n.camel} = '${v}'`],
  ['python environment', (n, v) => `os.environ["${n.upper}"] = "${v}"`, 'a.py'],
  ['python keyword', (n, v) => `client = connect(host, ${n.snake}='${v}')`, 'a.py'],
  ['python dict', (n, v) => `conf = {'user': 'a', '${n.snake}': '${v}'}`, 'a.py'],
  ['ruby', (n, v) => `config.${n.snake} = '${v}'`, 'a.rb'],
  ['ruby symbol', (n, v) => `connect(user: 'a', ${n.snake}: '${v}')`, 'a.rb'],
  ['elixir', (n, v) => `config :app, ${n.snake}: "${v}"`, 'a.exs'],
  ['lua', (n, v) => `local ${n.snake} = "${v}"`, 'a.lua'],
  ['javascript', (n, v) => `const ${n.camel} = '${v}';`, 'a.js'],
  ['javascript object', (n, v) => `init({ user: 'a', ${n.camel}: '${v}' });`, 'a.js'],
  ['javascript environment', (n, v) => `process.env.${n.upper} = '${v}';`, 'a.js'],
  ['javascript default', (n, v) => `const k = process.env.${n.upper} || '${v}';`, 'a.js'],
  ['typescript', (n, v) => `  readonly ${n.camel}: string = '${v}';`, 'a.ts'],
  ['setter', (n, v) => `client.set${n.pascal}("${v}");`],
  ['csv', (n, v) => `${n.camel},${v},`],
  ['logstash', (n, v) => `  "${n.camel}" => "${v}"\n`],
  ['make', (n, v) => `${n.upper} ?= "${v}"`],
  ['make posix', (n, v) => `${n.upper} ::= "${v}"`],
  ['make immediate', (n, v) => `${n.upper} :::= "${v}"`],
  ['make append', (n, v) => `${n.upper} += "${v}"`],
  ['log', (n, v) => `2024-05-18T14:32:10Z INFO starting with ${n.snake}=${v} retries=3`],
  ['log colon', (n, v) => `[DEBUG] Using ${n.pascal}: ${v}`],
  ['comparison', (n, v) => `if (${n.camel} == "${v}") return true;`, 'a.js'],
  ['sql insert', (n, v) => `UPDATE settings SET ${n.snake} = '${v}' WHERE id = 1;`, 'a.sql'],
  ['jenkins', (n, v) => `withEnv(['${n.upper}=${v}']) { sh 'run' }`, 'Jenkinsfile'],
  ['commented out', (n, v) => `# ${n.snake} = "${v}"`],
];

/** Every way to assign to a name, given as lower-case words. */
export function assignmentsTo(words: string): Context[] {
  const names = namesOf(words);
  return FORMS.map(([name, write, path]) => {
    const context = { name, write: (value: string) => write(names, value) };
    return path === undefined ? context : { ...context, path };
  });
}

/** Places that say nothing about the value. */
export const BARE: readonly Context[] = [
  { name: 'alone', write: (v) => v },
  { name: 'line', write: (v) => `first line\n${v}\nlast line` },
  { name: 'prose', write: (v) => `please use ${v} for now` },
  { name: 'argument', write: (v) => `call("${v}");` },
  { name: 'log', write: (v) => `[INFO] Using Key=${v}\n[INFO] Response received: 200 OK` },
  { name: 'list', write: (v) => `- first\n- \`${v}\`\n` },
  { name: 'table', write: (v) => `| web | ${v} | 3 |` },
  { name: 'comment', write: (v) => `//${v} is the one` },
  { name: 'hash comment', write: (v) => `#${v} is the one` },
];
