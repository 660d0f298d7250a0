export { default } from '../../../tools/postgres/test-postgres.js';
