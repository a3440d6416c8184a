import { parseText } from './connection/parse-reply.ts';
import { type ScriptRunner, toScript } from './connection/script-runner.ts';

const KEEP_FIRST = toScript(`
redis.call('SETNX',KEYS[1]..':'..ARGV[1],ARGV[2])
return redis.call('GET',KEYS[1]..':'..ARGV[1])`);

/** Keeps a text of the desk under a name, unless there is one; of several writers the first one's stays. Resolves with the one that is kept. */
export async function setIfAbsent(
  link: ScriptRunner,
  desk: string,
  name: string,
  text: string,
): Promise<string> {
  return parseText(await link.run(KEEP_FIRST, desk, [name, text]));
}
