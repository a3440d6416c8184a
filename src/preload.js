/**
 * Loads the large libraries before tsx is registered: its hooks would look at each of their modules,
 * and the start would take about twice as long. What is loaded here is loaded once; nothing else of
 * the app is plain JavaScript.
 */
await Promise.all([
  import('@langchain/langgraph'),
  import('@langchain/langgraph-checkpoint-sqlite'),
  import('@langchain/openai'),
  import('@slack/bolt'),
  import('zod'),
  import('zod/v3'),
  import('hono'),
  import('@hono/node-server'),
  import('diff'),
  import('pino'),
  import('yaml'),
  import('@marcbachmann/cel-js'),
]);
