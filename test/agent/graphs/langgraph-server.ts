/** LangGraph's own local server in a separate process; it sends its address to the parent. */
import { startServer } from '@langchain/langgraph-api/server';

const [cwd = '.', graph = ''] = process.argv.slice(2);
const { host } = await startServer({
  port: 0,
  nWorkers: 2,
  host: '127.0.0.1',
  cwd,
  graphs: { agent: `${graph}:graph` },
});
process.send?.(host);
process.on('disconnect', () => process.exit());
