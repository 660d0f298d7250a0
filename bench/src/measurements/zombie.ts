import { setTimeout as sleep } from 'node:timers/promises';
import { createRows, judge, type Measurement } from '../measurement.ts';
import { pgZombies } from '../zombies/on-postgres.ts';
import { sqliteZombies } from '../zombies/on-sqlite.ts';
import type { Zombie } from '../zombies/zombie.ts';

export const zombie: Measurement = {
  name: 'zombie',
  title: 'A claims, its lease lapses, B claims, then A completes: refused?',
  async run(bench) {
    const table = createRows();
    const notes: string[] = [];
    let refusals = 0;
    const tell = async ({ name, isOurs, play }: Zombie, target: string): Promise<void> => {
      try {
        const { isRefused, told } = await play(target);
        if (isOurs && isRefused) refusals++;
        table.row(name, isRefused ? 'REFUSED' : 'ACCEPTED', '').rounds.push(isRefused ? 1 : 0);
        notes.push(`${name}: ${told}`);
      } catch (error) {
        table.row(name, 'late completion', '').failed = String(error);
      }
      await sleep(50);
    };
    for (const one of pgZombies) await bench.server.withDatabase((url) => tell(one, url));
    for (const [i, one] of sqliteZombies.entries()) await tell(one, `${bench.folder}/zombie-${i}.db`);
    const goal = {
      id: 'zombie-refused',
      says: 'late completions that our stores refuse, of 2',
      target: 2,
      better: 'higher' as const,
    };
    return { rows: table.rows, contenders: [], targets: [judge(goal, refusals)], notes };
  },
};
