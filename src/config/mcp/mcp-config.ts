/**
 * The file of MCP servers, in the format that other programs use: `{"mcpServers": {name: {command,
 * args, env} | {url, headers}}}`.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import { serverPrefix } from '../../domain/tools/server-tools.ts';
import { createVariableExpander, type VariableExpander } from './expand-variables.ts';
import { readKeys, suggestEntryKey } from './server-entry-keys.ts';
import { readTimeouts } from './server-timeouts.ts';

/** An MCP server from the file, with its variables filled in. */
export interface McpServerConfig {
  readonly name: string;
  readonly reach: Reach;
  /** Timeouts of the start and of a call, if the file sets them. */
  readonly startMs?: number;
  readonly callMs?: number;
}

type Reach =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly kind: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** The servers in the file, or all of its problems. */
export interface McpConfigParseResult {
  readonly servers: readonly McpServerConfig[];
  readonly problems: readonly string[];
  /** Entries that have no effect here. */
  readonly warnings: readonly string[];
  /** Values that must not appear in logs. */
  readonly secrets: readonly string[];
  /** The names of the variables that the file uses. */
  readonly variables: ReadonlySet<string>;
}

/** The result if no file is configured. */
export const NO_SERVERS: McpConfigParseResult = {
  servers: [],
  problems: [],
  warnings: [],
  secrets: [],
  variables: new Set(),
};

type Environment = Readonly<Record<string, string | undefined>>;

const text = (what: string) => z.string(what).min(1, what);
const texts = (what: string) => z.record(z.string(), z.string(what), what);

const switches = {
  disabled: z.boolean('“disabled” must be true or false').optional(),
  enabled: z.boolean('“enabled” must be true or false').optional(),
};

const StdioEntry = z.looseObject({
  ...switches,
  type: z
    .literal('stdio', '“type” is stdio for a “command”, and http or sse for a “url”')
    .optional(),
  command: text('it needs a “command” (the program to start) or a “url” (an address)'),
  args: z
    .array(z.string('“args” must be a list of strings'), '“args” must be a list of strings')
    .default([]),
  env: texts('“env” maps names of variables to strings').default({}),
  cwd: text('“cwd” is the path of a folder').optional(),
  url: z.never('it has both a “command” and a “url”; keep one of them').optional(),
});

const HttpEntry = z.looseObject({
  ...switches,
  type: z
    .enum(
      ['http', 'streamable-http', 'streamable_http', 'streamableHttp', 'sse'],
      '“type” is http or sse for a “url”',
    )
    .default('http'),
  url: text('“url” is an http(s) address'),
  headers: texts('“headers” maps names of headers to strings').default({}),
});

const File = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()) });

const EXAMPLE = '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-server"]}}}';

/** Reads the file at MCP_CONFIG. Never throws. */
export function readMcpConfig(
  path: string,
  env: Environment,
  readFile: (path: string) => string = readText,
): McpConfigParseResult {
  let content: string;
  try {
    content = readFile(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return problem(`MCP_CONFIG ${path} can't be read: ${why}. Name a file like ${EXAMPLE}.`);
  }
  // The message gives the position but not the content, which may be a secret.
  const json = parseStrictJson(content);
  if (!json.ok) {
    const where = `line ${json.line}, column ${json.column}`;
    return problem(
      `MCP_CONFIG ${path} is not valid JSON (${where}): remove comments, trailing commas and duplicate keys, and shorten numbers that can’t be stored exactly. Write it like ${EXAMPLE}.`,
    );
  }
  const file = File.safeParse(json.value);
  if (!file.success) {
    return problem(`MCP_CONFIG ${path} has no servers. Write it like ${EXAMPLE}.`);
  }
  const { mcpServers, ...others } = file.data;
  const entries = Object.entries(mcpServers).filter(([, entry]) => !isDisabled(entry));
  const readings = [
    checkOtherKeys(Object.keys(others)),
    ...entries.map(([name, entry]) => readEntry(name, entry, env)),
  ];
  return {
    servers: readings.flatMap(({ servers }) => servers),
    problems: [
      ...readings.flatMap(({ problems }) => problems),
      ...describeDuplicates(entries.map(([name]) => name)),
    ],
    warnings: readings.flatMap(({ warnings }) => warnings),
    secrets: [...new Set(readings.flatMap(({ secrets }) => secrets))],
    variables: new Set(readings.flatMap(({ variables }) => [...variables])),
  };
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  try {
    // The decoder drops a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error('it is not UTF-8', { cause: error });
  }
}

function problem(sentence: string): McpConfigParseResult {
  return { ...NO_SERVERS, problems: [sentence] };
}

/** Checks the keys beside `mcpServers`: the file may be that of another program. */
function checkOtherKeys(keys: readonly string[]): McpConfigParseResult {
  const isServers = (key: string) =>
    key === 'servers' || suggestEntryKey(key, ['mcpServers']) !== undefined;
  return {
    ...NO_SERVERS,
    problems: keys
      .filter(isServers)
      .map((key) => `MCP_CONFIG: “${key}” is not read. Put its servers into “mcpServers”.`),
    warnings: keys
      .filter((key) => key !== '$schema' && !isServers(key))
      .map((key) => `MCP_CONFIG: “${key}” has no effect here.`),
  };
}

function isDisabled(entry: unknown): boolean {
  if (!(entry instanceof Object)) return false;
  return (
    ('disabled' in entry && entry.disabled === true) ||
    ('enabled' in entry && entry.enabled === false)
  );
}

function readEntry(name: string, entry: unknown, env: Environment): McpConfigParseResult {
  const place = `MCP_CONFIG: the server “${name}”`;
  if (serverPrefix(name) === '') {
    return problem(`${place} has a name without letters and digits. Give it another one.`);
  }
  const expander = createVariableExpander(place, env);
  const isRemote = entry instanceof Object && 'url' in entry && !('command' in entry);
  const keys = entry instanceof Object && readKeys(place, entry, isRemote ? 'remote' : 'local');
  const { problems, warnings } = keys || NO_SERVERS;
  const read = isRemote ? readRemote(entry, expander) : readLocal(entry, expander);
  if ('issues' in read) {
    const why = [...new Set(read.issues.map(({ message }) => message))].join('; ');
    // A misspelled key is also reported as missing, so report only the spelling.
    return {
      ...problem(`${place} can't be used: ${why}.`),
      ...(problems.length > 0 && { problems }),
    };
  }
  const times = readTimeouts(place, entry instanceof Object ? entry : {});
  return {
    servers: [{ name, reach: read.reach, ...times.read }],
    problems: [
      ...problems,
      ...expander.problems,
      ...times.problems,
      ...reachProblems(place, read.reach),
    ],
    warnings,
    secrets: [...expander.values, ...secretsOf(read.reach)],
    variables: new Set(expander.names),
  };
}

type EntryReading =
  | { readonly reach: Reach }
  | { readonly issues: readonly { readonly message: string }[] };

function readRemote(entry: unknown, { fill, fillAll }: VariableExpander): EntryReading {
  const read = HttpEntry.safeParse(entry);
  if (!read.success) return { issues: read.error.issues };
  const { headers, type, url } = read.data;
  const kind = type === 'sse' ? 'sse' : 'http';
  return { reach: { kind, url: fill(url), headers: fillAll(headers) } };
}

function readLocal(entry: unknown, { fill, fillAll }: VariableExpander): EntryReading {
  const read = StdioEntry.safeParse(entry);
  if (!read.success) return { issues: read.error.issues };
  const { args, command, cwd, env } = read.data;
  return {
    reach: {
      kind: 'stdio',
      command: fill(command),
      args: args.map((arg) => fill(arg, true)),
      env: fillAll(env),
      ...(cwd !== undefined && { cwd: fill(cwd) }),
    },
  };
}

function reachProblems(place: string, reach: Reach): readonly string[] {
  if (reach.kind === 'stdio') {
    const isWrong = Object.keys(reach.env).some((name) => !/^[^=\0]+$/.test(name));
    return isWrong ? [`${place} has an “env” with invalid names of variables.`] : [];
  }
  const url = URL.canParse(reach.url) ? new URL(reach.url) : undefined;
  // The URL parser drops these characters silently.
  const isLossless = !/[#\s\\]/.test(reach.url);
  const isAddress = isLossless && url !== undefined && /^https?:$/.test(url.protocol);
  // Such a URL cannot be fetched, and the error would show the credentials to everybody.
  const hasCredentials = isAddress && (url.username !== '' || url.password !== '');
  const wrong = Object.entries(reach.headers).filter((header) => !isHeader(header));
  const names = Object.keys(reach.headers).map((name) => name.toLowerCase());
  return [
    ...(isAddress
      ? []
      : [
          `${place} has a “url” that is not an http(s) address, or has a space, “\\” or “#” in it. Write it like https://host/mcp.`,
        ]),
    ...(hasCredentials
      ? [
          `${place} has a “url” with a user name or password, which HTTP can't carry there. Put them into “headers”, as "Authorization": "Basic …".`,
        ]
      : []),
    ...wrong.map(([name]) => `${place} has a header “${name}” that HTTP can't carry.`),
    ...(new Set(names).size < names.length
      ? [`${place} has a header twice: names of headers ignore upper and lower case.`]
      : []),
  ];
}

function isHeader([name, value]: readonly [string, string]): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    // Not rethrown: the error message contains the value.
    return false;
  }
}

function secretsOf(reach: Reach): readonly string[] {
  if (reach.kind === 'stdio') return Object.values(reach.env);
  // In “Bearer abc” the second word alone is a secret too.
  return Object.values(reach.headers).flatMap((value) => [value, ...value.split(/\s+/)]);
}

/** Two servers with the same prefix would have tools of the same names. */
function describeDuplicates(names: readonly string[]): readonly string[] {
  const seen = new Map<string, string>();
  const problems: string[] = [];
  for (const name of names) {
    const prefix = serverPrefix(name);
    const other = seen.get(prefix);
    if (prefix !== '' && other !== undefined) {
      problems.push(
        `MCP_CONFIG: the tools of the servers “${other}” and “${name}” would both begin with ${prefix}__. Rename one.`,
      );
    }
    seen.set(prefix, name);
  }
  return problems;
}
