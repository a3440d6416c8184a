import { torture } from './drive/torture.ts';

const t = performance.now();
const reports = await torture({
  seed: Number(process.env.SEED ?? 1),
  runs: Number(process.env.RUNS ?? 4) || undefined,
  stores: (process.env.STORE ?? 'sqlite,redis').split(',') as never,
  onRun: (r) =>
    console.log(r.plan.name, r.kills, Math.round(r.tookMs), r.unknowns, r.dir, r.findings),
});
console.log(reports.length, performance.now() - t);
