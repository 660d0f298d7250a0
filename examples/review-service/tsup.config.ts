import { defineConfig } from 'tsup';

/** The two programs, for `node`; what they depend on is installed beside them. */
export default defineConfig({
  entry: { main: 'src/main.ts', 'p4-runner': 'src/p4-runner.ts' },
  format: ['esm'],
  target: 'node20',
  splitting: true,
  sourcemap: true,
  clean: true,
  removeNodeProtocol: false,
});
