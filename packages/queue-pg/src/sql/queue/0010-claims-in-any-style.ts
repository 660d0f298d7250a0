/**
 * A claim's JSON holds instants as numbers: whatever a role says of floats, they keep their digits.
 * A setting of the function, not of a session.
 */
export const sql = `
ALTER FUNCTION {schema}.claim_jobs(timestamptz, text[], integer, text, text, double precision, timestamptz, integer[], timestamptz[])
  SET extra_float_digits = 0;
`;
