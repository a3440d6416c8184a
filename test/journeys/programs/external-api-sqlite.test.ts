import { outsideApiTests } from './external-api.ts';

outsideApiTests('SQLite');
