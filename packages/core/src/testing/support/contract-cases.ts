import type { Runner } from './runner.js';

/** Declares one case on what the harness has made afresh. */
export type CaseOn<Given> = (title: string, body: (given: Given) => Promise<void>) => void;

/** The `it` of a suite: creates what is tested, runs the body, disposes of it whatever happened. */
export function contractCases<Given extends { dispose(): Promise<void> }>(
  runner: Runner,
  harness: { create(): Promise<Given> },
): CaseOn<Given> {
  return (title, body) => {
    runner.it(title, async () => {
      const given = await harness.create();
      try {
        await body(given);
      } finally {
        await given.dispose();
      }
    });
  };
}

/** What must hold while the far end of a part plays one scene, within `ms`. */
export interface HeldScene<Given> {
  title: string;
  hold(given: Given, ms: number): Promise<void>;
}

/** One case a scene: plays it, then looks. Scenes that a far end cannot play are left out by `without`. */
export function describeScenes<Scene extends string, Given extends { play(scene: Scene): unknown }>(
  it: CaseOn<Given>,
  scenes: Readonly<Record<Scene, HeldScene<Given>>>,
  { without, ms }: { without: Partial<Record<Scene, unknown>>; ms: number },
): void {
  for (const [scene, { title, hold }] of Object.entries(scenes) as [Scene, HeldScene<Given>][]) {
    if (without[scene] !== undefined) continue;
    it(title, async (given) => {
      await given.play(scene);
      await hold(given, ms);
    });
  }
}
