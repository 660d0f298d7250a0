// What a soak of notifications is made of, shared by the parent and its workers.

/** What one way out promises, and which points it has. */
export interface ChannelTraits {
  /** True: one copy of every message. False: a second copy is flagged in its row. */
  isOnce: boolean;
  /** False: mails, which are planned by no channel. */
  plans: boolean;
  looksUp: boolean;
}

const traits = {
  smtp: { isOnce: false, plans: false, looksUp: false },
  'smtp-maildir': { isOnce: true, plans: false, looksUp: true },
  'smtp-imap': { isOnce: true, plans: false, looksUp: true },
  webhook: { isOnce: true, plans: true, looksUp: false },
  'webhook-forgetful': { isOnce: false, plans: true, looksUp: false },
  'code-review': { isOnce: true, plans: true, looksUp: true },
  slack: { isOnce: true, plans: true, looksUp: true },
  'slack-webhook': { isOnce: false, plans: true, looksUp: false },
  teams: { isOnce: false, plans: true, looksUp: false },
} as const satisfies Readonly<Record<string, ChannelTraits>>;

/** Ways out that are soaked. */
export type SoakedChannel = keyof typeof traits;
export const soakedChannels = Object.keys(traits) as readonly SoakedChannel[];
export const traitsOf = (channel: SoakedChannel): ChannelTraits => traits[channel];

/** Where a worker is killed, or frozen. */
export const points = [
  ...(['before plan', 'after plan', 'after claim', 'before phase', 'after phase', 'at the far end'] as const),
  ...(['after answer', 'before mark', 'after mark', 'before look-up', 'after look-up'] as const),
];
export type Point = (typeof points)[number];

/** What a worker process is given, apart from keys in the environment. */
export interface NotifyWork {
  folder: string;
  channel: SoakedChannel;
  /** How the far end is reached: of its own `FarEnd`. */
  reach: Readonly<Record<string, string>>;
  /** Changes that it submits first. */
  changes: { from: number; to: number };
  /** Where it ends or stops itself; null: it works until all is sent. */
  fault: { point: Point; nth: number; how: 'freeze' | 'kill' } | null;
}

/** Lines that a worker writes, so that the parent knows. */
export const said = { up: 'up', frozen: 'frozen', refused: 'refused' } as const;
