import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { storeContract } from '../../support/store/store-contract.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

storeContract('SQLite', async (clock) => {
  const { path: dataDir, remove } = await makeTempDir();
  let store = createSqliteStore({ dataDir, clock });
  return {
    store,
    async reopen() {
      await store.close();
      store = createSqliteStore({ dataDir, clock });
      return store;
    },
    async cleanup() {
      await store.close();
      await remove();
    },
  };
});
