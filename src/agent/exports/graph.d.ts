import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';

/**
 * Creates the agent's graph with the given checkpointer: what `compile()` or `createAgent()`
 * returns.
 */
export type MakeGraph<Graph extends object> = (
  checkpointer: BaseCheckpointSaver,
) => Graph | Promise<Graph>;

/**
 * Returns the function unchanged and types its checkpointer, which is the app's own durable one.
 */
export function defineGraph<Graph extends object>(make: MakeGraph<Graph>): MakeGraph<Graph>;
