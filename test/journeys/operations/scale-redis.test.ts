import { scaleJourney } from './scale.ts';

scaleJourney('Redis');
