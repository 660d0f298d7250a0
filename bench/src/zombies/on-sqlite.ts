import { createSqliteStores } from '@criticizer/queue-sqlite';
import { openLiteque } from '../contenders/liteque.ts';
import { openPlainjob } from '../contenders/plainjob.ts';
import { playOnStores } from './on-stores.ts';
import type { Zombie } from './zombie.ts';

const criticizer: Zombie = {
  name: 'criticizer (SQLite)',
  isOurs: true,
  async play(file) {
    const stores = createSqliteStores({ file, migrate: 'auto' });
    try {
      return await playOnStores(stores);
    } finally {
      await stores.close();
    }
  },
};

const plainjob: Zombie = {
  name: 'plainjob',
  isOurs: false,
  async play(file) {
    const { queue, close } = openPlainjob(file, 'normal');
    try {
      queue.add('bench', { number: 0 });
      const late = queue.getAndMarkJobAsProcessing('bench');
      await new Promise((resolve) => setTimeout(resolve, 50));
      queue.requeueTimedOutJobs(10);
      const held = queue.getAndMarkJobAsProcessing('bench');
      if (late === undefined || held?.id !== late.id) throw new Error('B did not claim the job of A');
      queue.markJobAsDone(late.id);
      const isRunning = queue.getJobById(late.id)?.status === 1;
      return { isRefused: isRunning, told: isRunning ? 'the job runs on under B' : 'the job is done while B runs it' };
    } finally {
      close();
    }
  },
};

const liteque: Zombie = {
  name: 'liteque',
  isOurs: false,
  async play(file) {
    const { queue, close } = openLiteque(file, 'normal');
    try {
      await queue.enqueue({ number: 0 });
      const late = await queue.attemptDequeue({ timeoutSecs: 0 });
      await new Promise((resolve) => setTimeout(resolve, 1_100)); // its instants are whole seconds
      const held = await queue.attemptDequeue({ timeoutSecs: 60 });
      if (late === null || held?.id !== late.id) throw new Error('B did not claim the job of A');
      await queue.finalize(late.id, late.allocationId, 'completed');
      const { running } = await queue.stats();
      return {
        isRefused: running === 1,
        told: running === 1 ? 'the job runs on under B; A is told nothing' : 'the row is gone',
      };
    } finally {
      close();
    }
  },
};

export const sqliteZombies: readonly Zombie[] = [criticizer, plainjob, liteque];
