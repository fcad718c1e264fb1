// Package dates reads the dates of data: layouts as people write them
// (DD/MM/YYYY, 2026T3, jan/2026), and how old a date is in days of a calendar.
//
// It must never know where a date comes from, nor what its age leads to.
package dates
