import { parseText } from './connection/parse-reply.ts';
import { type ScriptRunner, toScript } from './connection/script-runner.ts';

const KEEP_FIRST = toScript(`
redis.call('SETNX',KEYS[1]..':'..ARGV[1],ARGV[2])
return redis.call('GET',KEYS[1]..':'..ARGV[1])`);

/** Stores a text under a name unless there is one; of concurrent writers, the first wins. Returns the stored text. */
export async function setIfAbsent(
  link: ScriptRunner,
  desk: string,
  name: string,
  text: string,
): Promise<string> {
  return parseText(await link.run(KEEP_FIRST, desk, [name, text]));
}
