import { approveStarts } from './approve-starts.ts';
import { clicks } from './clicks.ts';
import { cycle } from './cycle.ts';
import { decisions } from './decisions.ts';
import { floor } from './floor.ts';
import { foreignKeys } from './foreign-keys.ts';
import { hostileInput } from './hostile-input.ts';
import type { Bench } from './kit/bench.ts';
import { longThread } from './long-thread.ts';
import { pending } from './pending.ts';
import { redisCommands } from './redis-commands.ts';
import { sqliteStatements } from './sqlite-statements.ts';

/** Every row of the table, by the name under which it runs. */
export const BENCHES: Readonly<Record<string, Bench>> = {
  clicks,
  'approve-starts': approveStarts,
  cycle,
  floor,
  decisions,
  'redis-commands': redisCommands,
  'sqlite-statements': sqliteStatements,
  'foreign-keys': foreignKeys,
  'long-thread': longThread,
  pending,
  'hostile-input': hostileInput,
};
