// Package count has the operators that count the rows of patterns and of joins of patterns
// without making them.
package count
