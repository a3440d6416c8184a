/** Checks the documentation: its examples, links, file names, settings and commands. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCountersign } from '../src/commands/run-countersign.ts';
import { readConfig } from '../src/config/config.ts';
import { parseEnvFile } from '../src/config/env-file/parse-env-file.ts';
import { graphProblems } from '../src/config/graph-config.ts';
import { readMcpConfig } from '../src/config/mcp/mcp-config.ts';
import { Variables } from '../src/config/setting-variables.ts';
import { parseStrictJson } from '../src/domain/json/strict-json.ts';
import { NewApproval } from '../src/http/api/schemas.ts';
import { readPolicy } from '../src/policy/file/read-policy.ts';
import { createSystemClock } from '../src/process/system-clock.ts';
import {
  codeBlocksOf,
  DOCUMENTS,
  type DocumentPath,
  readDocument,
  readmeSnippet,
} from './support/readme-snippet.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Not part of the source: files that a reader creates, and files of the agent. */
const EXAMPLES = new Set(['my-tools.ts', 'my-agent.ts', 'my-graph.ts', 'inbox/']);

/** The text without its code blocks: prose, tables and links. */
function proseOf(path: DocumentPath): string {
  return readDocument(path).replace(/^ *```.*?^ *```$/gms, '');
}

/** The anchors that GitHub generates for headings. */
function anchorsOf(path: string): readonly string[] {
  const prose = proseOf(path as DocumentPath);
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

function findLinkProblem(path: DocumentPath, target: string): string | undefined {
  const [file = '', anchor] = target.split('#');
  const place = file === '' ? path : join(dirname(path), file);
  if (!existsSync(join(ROOT, place))) return `${path}: ${target} leads nowhere`;
  if (anchor === undefined || anchorsOf(place).includes(anchor)) return undefined;
  return `${path}: ${target} names no heading`;
}

function isFile(path: DocumentPath, name: string): boolean {
  const bases = [dirname(path), 'src', '.'];
  if (bases.some((base) => existsSync(join(ROOT, base, name)))) return true;
  const below = readdirSync(join(ROOT, dirname(path)), { recursive: true, encoding: 'utf8' });
  return dirname(path) !== '.' && below.some((each) => `/${each}`.endsWith(`/${name}`));
}

const CODE = /`([\w@.-]+(?:\/[\w@.-]+)*\.(?:ts|tsx|js)|[\w@.-]+(?:\/[\w@.-]+)*\/)`/g;

it('every README is one of the checked documents', () => {
  const found = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => basename(path) === 'README.md')
      .map((path) => join(folder, path)),
  );
  assert.deepEqual(['README.md', ...found].toSorted(), DOCUMENTS.toSorted());
});

it('README.md has at most 200 lines, and the map at most 150', () => {
  assert(readDocument('README.md').split('\n').length <= 201);
  assert(readDocument('src/README.md').split('\n').length <= 151);
});

describe('a document', () => {
  for (const path of DOCUMENTS) {
    it(`${path} links to files and headings that exist`, () => {
      const links = [...proseOf(path).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)];
      const targets = links.map(([, link, picture]) => link ?? picture ?? '');
      const problems = targets
        .filter((target) => !/^[a-z]+:/.test(target))
        .flatMap((target) => findLinkProblem(path, target) ?? []);
      assert.deepEqual(problems, []);
    });

    it(`${path} has only valid JSON`, () => {
      for (const { code } of codeBlocksOf(path).filter(({ language }) => language === 'json')) {
        assert.equal(parseStrictJson(code).ok, true, code);
      }
    });
  }

  for (const path of DOCUMENTS) {
    it(`${path} names files that exist`, () => {
      const names = [...proseOf(path).matchAll(CODE)].map(([, name = '']) => name);
      const wrong = names.filter((name) => !EXAMPLES.has(name) && !isFile(path, name));
      assert.deepEqual(wrong, []);
    });
  }

  it('shows valid policies without warnings', () => {
    const policies = DOCUMENTS.flatMap(codeBlocksOf).filter(({ language }) => language === 'yaml');
    assert(policies.length >= 2);
    for (const { code } of policies) {
      const read = readPolicy(code);
      const problems = read.ok ? read.file.warnings : read.problems;
      assert.deepEqual(problems, [], code);
    }
  });

  it('shows a valid MCP servers file without warnings', () => {
    const text = readmeSnippet('src/agent/README.md', 'server-github');
    const env = { GITHUB_TOKEN: 'ghp_example', TICKETS: 'secret' };
    const { problems, servers, warnings } = readMcpConfig('./mcp.json', env, () => text);
    assert.deepEqual([problems, warnings], [[], []]);
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['github', 'tickets'],
    );
  });

  it('shows requests that the HTTP API accepts', () => {
    const shown = readmeSnippet('src/http/README.md', '"action": "deploy_web"');
    const [, body = ''] = /-d '(\{"action".*\})'/.exec(shown) ?? [];
    assert.equal(NewApproval.safeParse(JSON.parse(body)).success, true);
    const fields = proseOf('src/http/README.md').match(/### Fields of a request(.*?)^###/ms)?.[1];
    for (const name of Object.keys(NewApproval.shape))
      assert(fields?.includes(`\`${name}\``), name);
  });

  it('shows valid settings of a model and of a graph', () => {
    const file = parseEnvFile(Buffer.from(readmeSnippet('src/agent/README.md', 'MODEL=openai/')));
    assert.deepEqual(file.problems, []);
    assert.deepEqual(readConfig({ ...file.values }).model, {
      provider: 'openai',
      name: 'qwen3:8b',
      baseUrl: 'http://localhost:11434/v1',
    });
    const graphs = readmeSnippet('src/agent/graphs/README.md', 'GRAPH_API_KEY');
    const values = [...graphs.matchAll(/^GRAPH=(\S+)/gm)].map(([, value = '']) => value);
    assert.equal(values.length, 2);
    for (const GRAPH of values)
      assert.deepEqual(
        graphProblems({ GRAPH }, () => true),
        [],
      );
  });

  it('lists every setting in a table', () => {
    const rows = DOCUMENTS.flatMap((path) => proseOf(path).match(/^\|.*\|$/gm) ?? []);
    const names = Object.keys(Variables.shape);
    const missing = names.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)));
    assert.deepEqual(missing, []);
  });

  it('names only commands that exist', async () => {
    const lines: string[] = [];
    const write = (text: string) => void lines.push(text);
    const deps = { env: {}, clock: createSystemClock(), write: async () => {} };
    await runCountersign(['help'], { ...deps, out: write, err: write });
    const usage = lines.join('\n');
    const shown = DOCUMENTS.flatMap((path) => [
      ...readDocument(path).matchAll(
        /npx --no -- countersign ((?:policy|audit|keys) [a-z]+|[a-z]+)/g,
      ),
    ]).map(([, words = '']) => words);
    assert(shown.length > 10);
    const unknown = shown.filter((words) => !usage.includes(`countersign ${words}`));
    assert.deepEqual(unknown, []);
  });
});
