/** One log object of 20 fields and about 525 bytes, with four of them to hide, two levels deep. */
export function sample(n: number) {
  const hex = (n * 2_654_435_761).toString(16).padStart(12, '0');
  return {
    time: 1_790_000_000_000 + n,
    level: 30,
    requestId: `req-${hex}`,
    method: 'POST',
    route: '/v1/changes/:id/reviews',
    status: 200,
    durationMs: 12.5,
    user: { id: 100 + n, name: 'Grace Hopper', email: `grace.hopper.${n}@corp.example` },
    password: `correct-horse-${hex}`,
    apiKey: `k${hex}${hex}${hex}`,
    token: `t${hex}${hex}`,
    message: 'the review of the change was stored; two mails are due',
    host: 'worker-17',
    region: 'eu-central-1',
    retries: 0,
    cached: false,
    tags: ['review', 'mail'],
    depot: '//depot/main/src/app/server.ts',
    agent: 'node/24 (linux; x64)',
    bytes: 48_213,
  };
}
