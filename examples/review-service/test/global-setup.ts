export { default } from '../../../tools/test-postgres.js';
