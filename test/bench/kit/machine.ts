import { cpus, release, totalmem } from 'node:os';

/** Describes the machine without its name. */
export function describeMachine(): string {
  const all = cpus();
  const model = all[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${all.length} × ${model}, ${memory} GB, Node ${process.versions.node}, ${process.platform} ${release()}`;
}
