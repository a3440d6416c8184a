/** The file of MCP servers, as other programs read it too: `{"mcpServers": {name: {command, args, env} | {url, headers}}}`. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { serverPrefix } from './domain/server-tools.ts';
import { parseStrictJson } from './domain/strict-json.ts';

/** An MCP server as the file names it, its variables filled in. */
export interface McpServerConfig {
  readonly name: string;
  readonly reach: Reach;
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

/** What a file of MCP servers holds, or all that is wrong with it. */
export interface McpConfigReading {
  readonly servers: readonly McpServerConfig[];
  readonly problems: readonly string[];
  /** What is in it and has no effect here. */
  readonly warnings: readonly string[];
  /** Values that nobody may read in a log. */
  readonly secrets: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const text = (what: string) => z.string(what).min(1, what);
const texts = (what: string) => z.record(z.string(), z.string(what), what);

const StdioEntry = z.looseObject({
  type: z
    .literal('stdio', '“type” is stdio for a “command”, and http or sse for a “url”')
    .optional(),
  command: text('“command” is the program to start, or “url” an address'),
  args: z.array(z.string('“args” is a list of texts'), '“args” is a list of texts').default([]),
  env: texts('“env” holds texts by the names of variables').default({}),
  cwd: text('“cwd” is the path of a folder').optional(),
});

const HttpEntry = z.looseObject({
  type: z
    .enum(['http', 'streamable-http', 'sse'], '“type” is http or sse for a “url”')
    .default('http'),
  url: text('“url” is an http(s) address'),
  headers: texts('“headers” holds texts by the names of headers').default({}),
});

const File = z.object({ mcpServers: z.record(z.string(), z.unknown()) });

/** What other programs understand and what says nothing here is told. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled', 'description'],
]);

const EXAMPLE = '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-server"]}}}';

/** Reads the file at MCP_CONFIG; never throws. */
export function readMcpConfig(
  path: string,
  env: Environment,
  readFile: (path: string) => string = (each) => readFileSync(each, 'utf8'),
): McpConfigReading {
  let content: string;
  try {
    content = readFile(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return problem(`MCP_CONFIG ${path} can't be read: ${why}. Name a file like ${EXAMPLE}.`);
  }
  // Where it is wrong, and not what stands there: that may be a secret.
  const json = parseStrictJson(content);
  if (!json.ok) {
    const where = `line ${json.line}, column ${json.column}`;
    return problem(`MCP_CONFIG ${path} is no JSON (${where}). Write it like ${EXAMPLE}.`);
  }
  const file = File.safeParse(json.value);
  if (!file.success) {
    return problem(`MCP_CONFIG ${path} holds no servers. Write it like ${EXAMPLE}.`);
  }
  const entries = Object.entries(file.data.mcpServers).filter(([, entry]) => !isDisabled(entry));
  const readings = entries.map(([name, entry]) => readEntry(name, entry, env));
  return {
    servers: readings.flatMap(({ servers }) => servers),
    problems: [
      ...readings.flatMap(({ problems }) => problems),
      ...sayTwins(entries.map(([name]) => name)),
    ],
    warnings: readings.flatMap(({ warnings }) => warnings),
    secrets: [...new Set(readings.flatMap(({ secrets }) => secrets))],
  };
}

function problem(sentence: string): McpConfigReading {
  return { servers: [], problems: [sentence], warnings: [], secrets: [] };
}

function isDisabled(entry: unknown): boolean {
  return entry instanceof Object && 'disabled' in entry && entry.disabled === true;
}

function readEntry(name: string, entry: unknown, env: Environment): McpConfigReading {
  const place = `MCP_CONFIG: the server “${name}”`;
  if (serverPrefix(name) === '') {
    return problem(`${place} has a name without letters and digits. Give it another one.`);
  }
  const filler = createFiller(place, env);
  const isRemote = entry instanceof Object && 'url' in entry && !('command' in entry);
  const read = isRemote ? readRemote(entry, filler) : readLocal(entry, filler);
  if ('issues' in read) {
    const why = [...new Set(read.issues.map(({ message }) => message))].join('; ');
    return problem(`${place} can't be used: ${why}.`);
  }
  const idle = Object.keys(read.entry).filter((key) => !KNOWN.has(key));
  return {
    servers: [{ name, reach: read.reach }],
    problems: [...filler.problems, ...reachProblems(place, read.reach)],
    warnings: idle.map(
      (key) => `${place}: “${key}” has no effect here. What its tools may do is up to the policy.`,
    ),
    secrets: [...filler.values, ...secretsOf(read.reach)],
  };
}

type EntryReading =
  | { readonly entry: object; readonly reach: Reach }
  | { readonly issues: readonly { readonly message: string }[] };

function readRemote(entry: unknown, { fill, fillAll }: Filler): EntryReading {
  const read = HttpEntry.safeParse(entry);
  if (!read.success) return { issues: read.error.issues };
  const { headers, type, url } = read.data;
  const kind = type === 'sse' ? 'sse' : 'http';
  return { entry: read.data, reach: { kind, url: fill(url), headers: fillAll(headers) } };
}

function readLocal(entry: unknown, { fill, fillAll }: Filler): EntryReading {
  const read = StdioEntry.safeParse(entry);
  if (!read.success) return { issues: read.error.issues };
  const { args, command, cwd, env } = read.data;
  return {
    entry: read.data,
    reach: {
      kind: 'stdio',
      command: fill(command),
      args: args.map(fill),
      env: fillAll(env),
      ...(cwd !== undefined && { cwd: fill(cwd) }),
    },
  };
}

interface Filler {
  /** Puts variables in a text: `${NAME}`, or `${NAME:-otherwise}`. */
  readonly fill: (text: string) => string;
  readonly fillAll: (texts: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  readonly problems: readonly string[];
  /** What was put in. */
  readonly values: readonly string[];
}

function createFiller(place: string, env: Environment): Filler {
  const problems: string[] = [];
  const values: string[] = [];

  const fill = (template: string) =>
    template.replace(
      /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
      (_all, name: string, otherwise: string | undefined) => {
        const value = env[name];
        if (value === undefined || value === '') {
          if (otherwise === undefined) {
            problems.push(`${place} needs the variable ${name}, which is not set. Set it.`);
          }
          return otherwise ?? '';
        }
        values.push(value);
        return value;
      },
    );

  return {
    fill,
    fillAll: (texts) =>
      Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, fill(value)])),
    problems,
    values,
  };
}

function reachProblems(place: string, reach: Reach): readonly string[] {
  if (reach.kind === 'stdio') return [];
  const url = URL.canParse(reach.url) ? new URL(reach.url) : undefined;
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol);
  // It could not be reached, and the failure would name them to everybody.
  const holdsName = isAddress && (url.username !== '' || url.password !== '');
  const wrong = Object.entries(reach.headers).filter((header) => !isHeader(header));
  return [
    ...(isAddress
      ? []
      : [`${place} has a “url” that is no http(s) address. Write it like https://host/mcp.`]),
    ...(holdsName
      ? [
          `${place} has a “url” with a user name or password, which HTTP can't carry there. Put them into “headers”, as "Authorization": "Basic …".`,
        ]
      : []),
    ...wrong.map(([name]) => `${place} has a header “${name}” that HTTP can't carry.`),
  ];
}

function isHeader([name, value]: readonly [string, string]): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    // Its message would hold the value.
    return false;
  }
}

function secretsOf(reach: Reach): readonly string[] {
  if (reach.kind === 'stdio') return Object.values(reach.env);
  // Of “Bearer abc” the second word is what nobody may read, wherever it stands.
  return Object.values(reach.headers).flatMap((value) => [value, ...value.split(/\s+/)]);
}

/** Their tools would have the same names. */
function sayTwins(names: readonly string[]): readonly string[] {
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
