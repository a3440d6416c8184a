import { outsideApiTests } from './outside-api.ts';

outsideApiTests('SQLite');
