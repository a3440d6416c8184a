/** The HTTP API, operation by operation, with its security rules. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBench } from './api-bench.ts';
import { comingInTests } from './authentication.ts';
import { fuzzTests } from './fuzzing.ts';
import { maskedTests } from './hidden-secrets.ts';
import { peopleTests } from './people-decide.ts';
import { actingTests } from './program-flow.ts';
import { refusingTests } from './rejected-requests.ts';

describe('the HTTP API', () => {
  const bench = openBench();
  actingTests(bench);
  refusingTests(bench);
  comingInTests(bench);
  maskedTests(bench);
  peopleTests(bench);
  fuzzTests(bench);

  it('has tests for every operation of its document, with success and with failure', () => {
    const all = Object.values(bench.stage.document().paths).flatMap((path) => Object.values(path));
    const operations = [...bench.stage.answered];
    for (const { operationId } of all.filter((each) => each.operationId !== 'followApproval')) {
      assert.ok(
        operations.some((each) => /^\S+ 20\d$/.test(each) && each.startsWith(`${operationId} `)),
        operationId,
      );
    }
    assert.deepEqual(
      operations.filter((each) => / 5(?!03)\d\d$/.test(each)),
      [],
    );
  });
});
