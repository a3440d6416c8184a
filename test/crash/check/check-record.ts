import type { RunRecord, StoreDump } from '../record.ts';
import { checkCalls, checkUnknown } from './check-calls.ts';
import { checkCards, checkWords } from './check-cards.ts';
import { checkApproved, checkOnce, checkSame } from './check-effects.ts';
import { checkAccepted, checkAnswers, checkDecided, checkGoesOn } from './check-people.ts';
import type { Edge, Evidence, Finding, Invariant } from './finding.ts';
import { toEdge } from './finding.ts';

type Judge = (evidence: Evidence) => Iterable<string>;

const JUDGES: readonly (readonly [Invariant, Judge])[] = [
  ['I1', checkApproved],
  ['I2', checkOnce],
  ['I3', checkAccepted],
  ['I4', checkAnswers],
  ['I4', checkDecided],
  ['I5', checkCalls.edges],
  ['I6', checkSame],
  ['I7', checkCards],
  ['I7', checkWords],
  ['I9', checkCalls.audit],
  ['I10', checkGoesOn],
  ['unknown', checkUnknown],
];

/** Checks a recorded run: returns its counter-examples, in the order of the invariants. */
export function checkRecord(record: RunRecord): readonly Finding[] {
  const stuck = record.history.find((entry) => entry.op === 'stuck');
  if (stuck?.op === 'stuck') return [{ invariant: 'I10', what: `the run is stuck: ${stuck.why}` }];
  const end = record.dumps.findLast(({ when }) => when === 'end');
  if (!end) return [{ invariant: 'harness', what: 'there is no dump of the end' }];
  const evidence = toEvidence(record, end);
  return JUDGES.flatMap(([invariant, judge]) =>
    [...judge(evidence)].map((what) => ({ invariant, what })),
  );
}

function toEvidence(record: RunRecord, end: StoreDump): Evidence {
  const calls = new Map(end.calls.map((call) => [call.id, call]));
  const edges = new Map<string, Edge[]>();
  for (const entry of end.audit) {
    const edge = toEdge(entry);
    if (!edge) continue;
    const known = edges.get(entry.subject) ?? [];
    edges.set(entry.subject, [...known, edge]);
  }
  return {
    ...record,
    end,
    call: (id) => calls.get(id),
    edgesOf: (id) => edges.get(id) ?? [],
  };
}
