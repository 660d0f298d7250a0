// Packs the packages and the review service, installs them in an empty folder, and runs the service
// there against servers on loopback: ready in time, one change in the shadow, one redirected, one
// live, SIGTERM. Needs a build of the packages and of the service.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { exec, npmInstall, openWorkbench, packAll, readJson, root } from './pack.mjs';

const bench = openWorkbench('service');
const packed = packAll(bench);
const source = join(root, 'examples/review-service');
const folder = join(bench.top, 'empty');

bench.check('pack the service', () => {
  const { filename } = JSON.parse(
    exec(source, 'pnpm', 'pack', '--json', '--pack-destination', join(bench.top, 'tarballs')),
  );
  const { devDependencies } = readJson(join(source, 'package.json'));
  bench.write({
    'empty/package.json': {
      private: true,
      type: 'module',
      dependencies: {
        '@criticizer/example-review-service': `file:${filename}`,
        'smtp-server': devDependencies['smtp-server'],
      },
      overrides: Object.fromEntries(Object.entries(packed).map(([name, { tarball }]) => [name, tarball])),
    },
  });
  npmInstall(folder);
  copyFileSync(join(root, 'tools/pack/service/run-service.mjs'), join(folder, 'run-service.mjs'));
});
bench.stopIfFailed('the service');
bench.check('the service from tarballs reviews in the shadow, redirected and live', () =>
  exec(folder, process.execPath, 'run-service.mjs').trim().replace(/^/gm, '     '),
);
bench.close('the service');
