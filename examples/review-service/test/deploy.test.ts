import { readFileSync } from 'node:fs';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfiguration } from '../src/config/configuration.js';
import { readRunnerConfiguration } from '../src/config/runner-configuration.js';

const read = (name: string): string => readFileSync(new URL(`../deploy/${name}`, import.meta.url), 'utf8');

/** `NAME=value` lines. */
function parseEnv(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

const readEnv = (name: string): Record<string, string> => parseEnv(read(name));

interface ComposeService {
  image: string;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  tmpfs?: string[];
  security_opt?: string[];
  networks: string[];
  volumes: string[];
  env_file?: string[];
  command?: string[];
  build?: { target: string };
  ports?: string[];
}

interface Compose {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, unknown>;
}

/** The instructions of each stage by its name. */
function readStages(): Map<string, Instruction[]> {
  const stages = new Map<string, Instruction[]>();
  let stage: Instruction[] = [];
  for (const instruction of DockerfileParser.parse(read('Dockerfile')).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const name = /\bAS (\S+)$/.exec(instruction.getArgumentsContent() ?? '')?.[1] ?? '';
      stage = [];
      stages.set(name, stage);
    }
    stage.push(instruction);
  }
  return stages;
}

const lastOf = (stage: readonly Instruction[] | undefined, keyword: string): string =>
  stage
    ?.filter((instruction) => instruction.getKeyword() === keyword)
    .at(-1)
    ?.getArgumentsContent() ?? '';

describe('files to deploy, parsed and not run', () => {
  const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
  const stages = readStages();

  it('the image runs as nobody in particular, by exec, and holds no build tools', () => {
    expect([...stages.keys()]).toEqual(['build', 'service', 'p4', 'p4-runner']);
    for (const [name, uid] of [
      ['service', '10001:10001'],
      ['p4-runner', '0:10003'],
    ] as const) {
      const stage = stages.get(name);
      expect([lastOf(stage, 'USER'), stage?.at(-1)?.getKeyword()]).toEqual([
        uid,
        expect.stringMatching(/ENTRYPOINT|CMD/),
      ]);
      expect(JSON.parse(lastOf(stage, 'ENTRYPOINT'))[0]).toBe('node');
      expect(lastOf(stage, 'FROM')).not.toContain('build');
    }
    const fetched = read('Dockerfile').match(/^ADD .*/gm) ?? [];
    expect(fetched).toEqual([expect.stringContaining('--checksum=sha256:')]);
  });

  it('compose: read-only, without capabilities or privileges, each with a user of its own', () => {
    const { postgres, ...ours } = compose.services;
    expect(Object.keys(ours).sort()).toEqual(['p4-runner', 'serve', 'worker']);
    for (const service of Object.values(ours)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(stages.get(service.build?.target ?? '')).toBeDefined();
      expect(service.user).toBe(lastOf(stages.get(service.build?.target ?? ''), 'USER'));
    }
    // p4 is contained by chroot: namespaces are forbidden by the default seccomp profile.
    const { 'p4-runner': runner, ...others } = ours;
    expect(runner).toMatchObject({ user: '0:10003', cap_add: ['SYS_CHROOT', 'SETUID', 'SETGID'] });
    expect(runner?.tmpfs?.[0]).toMatch(/,exec$/);
    expect(Object.values(others).map((other) => other.cap_add)).toEqual([undefined, undefined]);
    expect([postgres?.networks, compose.networks['database']]).toEqual([['database'], { internal: true }]);
    for (const { volumes } of Object.values(compose.services))
      for (const volume of volumes.filter((text) => !text.startsWith('.')))
        expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
  });

  it('compose: the p4 runner alone has its secrets and its network, and shares nothing but the socket', () => {
    const { serve, worker, 'p4-runner': runner } = compose.services;
    expect(runner?.networks).toEqual(['perforce']);
    for (const other of [serve, worker]) {
      expect(other?.networks).not.toContain('perforce');
      expect(other?.volumes.filter((volume) => runner?.volumes.includes(volume))).toEqual(['p4-socket:/run/p4-runner']);
    }
    expect(Object.values(compose.services).flatMap(({ ports = [] }) => ports)).toEqual(['127.0.0.1:8080:8080']);
    expect([serve?.command, worker?.command]).toEqual([['serve', '--no-work'], ['worker']]);
  });

  it('the environments are ones that the programs take, with the same paths', () => {
    const service = readConfiguration(readEnv('service.env'));
    const runner = readRunnerConfiguration(readEnv('p4-runner.env'));
    expect(service).toMatchObject({
      p4Runner: { socketPath: runner.socketPath },
      delivery: { mode: 'shadow' },
    });
    expect(service.servers.map(({ serverId, allow, port, user }) => ({ serverId, allow, port, user }))).toEqual(
      runner.servers.map(({ serverId, allow, port, user }) => ({ serverId, allow, port, user })),
    );
    expect(Object.keys(readEnv('service.env')).filter((name) => /TICKET|FINGERPRINT/.test(name))).toEqual([]);
  });

  it.each(['how-to/deploy.md', 'tutorial/review-your-first-change.md'])(
    'the environment of docs/%s is complete',
    (page) => {
      const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
      const [, first = ''] = /```sh\n([\s\S]*?)```/.exec(text) ?? [];
      const env = parseEnv(first.replaceAll('$HOME', '/srv'));
      const needsPin = page.startsWith('how-to/'); // the tutorial has the doctor name it
      expect(readConfiguration(env, { needsPin }).delivery).toEqual({ mode: 'shadow' });
    },
  );

  it('the models of docs/how-to/choose-a-model.md are ones that the service takes', () => {
    const page = readFileSync(new URL('../../../docs/how-to/choose-a-model.md', import.meta.url), 'utf8');
    const [, models = ''] = /```sh\n([\s\S]*?)```/.exec(page) ?? [];
    const others = Object.entries(readEnv('service.env')).filter(([name]) => !name.startsWith('LLM_'));
    const { models: found, settings } = readConfiguration({ ...Object.fromEntries(others), ...parseEnv(models) });
    expect(found.map(({ id }) => id)).toEqual(['ollama.gpu1.studio.example', 'anthropic.api.anthropic.com']);
    expect(settings.egress?.policy?.map(({ providers }) => providers.length)).toEqual([1, 2]);
  });

  it.each(['criticizer.service', 'criticizer-p4-runner.service'])('%s is hardened', (name) => {
    const sections = read(name).split(/^\[(\w+)\]$/m);
    expect(sections.filter((_, at) => at % 2 === 1)).toEqual(['Unit', 'Service', 'Install']);
    const lines = (sections[4] ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.every((line) => /^[A-Z][A-Za-z]+=/.test(line))).toBe(true);
    const service = Object.fromEntries(lines.map((line) => line.split('=', 2)));
    expect(service).toMatchObject({
      ...{ NoNewPrivileges: 'yes', CapabilityBoundingSet: '', ProtectSystem: 'strict', ProtectHome: 'yes' },
      ...{
        PrivateTmp: 'yes',
        RestrictSUIDSGID: 'yes',
        SystemCallFilter: '@system-service @mount',
        RestrictNamespaces: 'user mnt pid ipc uts',
        RestartPreventExitStatus: '2',
      },
    });
    expect(service['User']).not.toBe('root');
    expect(service['ExecStart']).toMatch(
      /^\/usr\/bin\/node \/opt\/criticizer\/dist\/(?:main\.js serve|p4-runner\.js)$/,
    );
  });
});
