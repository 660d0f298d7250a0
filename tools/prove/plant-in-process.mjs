// Plants the fault of CRITICIZER_PLANTED_FAULT in a plain Node process: `npm run prove` preloads it
// (NODE_OPTIONS), so that the workers which tests start through tsx are faulty too.
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const planted = process.env.CRITICIZER_PLANTED_FAULT;
// The loader's own thread evaluates this module too, for `initialize` and `load`.
if (planted && isMainThread) register(import.meta.url, { data: JSON.parse(planted) });

let fault;
export function initialize(data) {
  fault = data;
}

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (!url.startsWith('file:') || fileURLToPath(url.replace(/[?#].*$/, '')) !== fault.file || loaded.source == null)
    return loaded;
  const text = typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source).toString('utf8');
  return { ...loaded, source: text.split(fault.find).join(fault.replace) };
}
