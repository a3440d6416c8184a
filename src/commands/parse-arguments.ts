import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './command.ts';

/**
 * Parses the arguments of a command. Throws `UsageError` for unknown options, missing values and
 * repeated options.
 */
export function parseArguments<T extends ParseArgsConfig>(
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const { tokens } = parse({ ...config, tokens: true as const });
  const seen = new Set<string>();
  for (const token of tokens ?? []) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    // An unset variable would widen what is asked for.
    if (value === '') throw new UsageError(`${rawName} has no value. Add one, or leave it out.`);
    if (seen.has(name) && config.options?.[name]?.multiple !== true) {
      throw new UsageError(`${rawName} is given twice. Use it once.`);
    }
    seen.add(name);
  }
  return parse(config);
}

function parse<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const isOfArguments =
      error instanceof Error && 'code' in error && /^ERR_PARSE_ARGS/.test(String(error.code));
    if (!isOfArguments) throw error;
    // The other lines explain shell syntax.
    throw new UsageError(error.message.split('\n', 1).join(), { cause: error });
  }
}

/**
 * Parses words separated by commas or white space. Throws `UsageError` if one is empty, for example
 * from an unset variable.
 */
export function parseWordList(option: string, text: string): readonly string[] {
  const words = text.trim().split(/\s*,\s*|\s+/);
  if (words.every((word) => word !== '')) return [...new Set(words)];
  throw new UsageError(
    `${option} has an empty item, perhaps from an unset variable. Fill it in, or remove its comma.`,
  );
}
