/**
 * Loads the large libraries before tsx is registered: its hooks would look at each of their modules,
 * and the start would take about twice as long. What is loaded here is loaded once.
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
  import('@langchain/langgraph/remote'),
  import('@modelcontextprotocol/sdk/server/mcp.js'),
  import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  import('@modelcontextprotocol/sdk/client/index.js'),
  import('@modelcontextprotocol/sdk/client/stdio.js'),
  import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  import('ajv/dist/2020.js'),
  import('re2js'),
  import('jose'),
  import('rate-limiter-flexible'),
]);
