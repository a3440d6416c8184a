import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';

/** Makes the graph that is the agent: what `compile()` or `createAgent()` returns, with the checkpointer that it is given. */
export type MakeGraph<Graph extends object> = (
  checkpointer: BaseCheckpointSaver,
) => Graph | Promise<Graph>;

/** Returns the function as it is; with it TypeScript knows the checkpointer, which is durable and the app's own. */
export function defineGraph<Graph extends object>(make: MakeGraph<Graph>): MakeGraph<Graph>;
