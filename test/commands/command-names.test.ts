/** Every command in a text can be pasted: `npx --no` runs the local one, and never another package. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DOCUMENTS } from '../support/readme-snippet.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = /\bcountersign (?:init|doctor|policy|audit|backup|keys|mcp|hook)\b/g;
const CALL = 'npx --no -- ';
const TEXTS = ['.env.example', 'manifest.yml', 'package.json'];

it('every text that names a countersign command uses npx --no --', () => {
  const sources = readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `src/${path}`);
  let found = 0;
  for (const path of [...DOCUMENTS, ...TEXTS, ...sources]) {
    for (const [at, line] of readFileSync(`${ROOT}/${path}`, 'utf8').split('\n').entries()) {
      // Texts that only developers read.
      if (/^\s*(?:\/\*\*|\*|\/\/)/.test(line)) continue;
      for (const { index } of line.matchAll(COMMAND)) {
        found += 1;
        assert(line.slice(0, index).endsWith(CALL), `${path}:${at + 1}: ${line.trim()}`);
      }
    }
  }
  assert(found > 30, `${found}`);
});
