package value

// Namespace IRIs of the datatypes.
const (
	xsdNS         = "http://www.w3.org/2001/XMLSchema#"
	rdfNS         = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	rdfLangString = rdfNS + "langString"
	rdfDirLang    = rdfNS + "dirLangString"
	xsdString     = xsdNS + "string"
	typedSuffix   = "^^<" + xsdNS
	integerSuffix = `"` + typedSuffix + "integer>"
)

// datatype is a datatype that this package knows; dtUnknown is any other.
type datatype uint8

const (
	dtUnknown datatype = iota
	dtString
	dtBoolean
	dtInteger
	dtNonPositiveInteger
	dtNegativeInteger
	dtLong
	dtInt
	dtShort
	dtByte
	dtNonNegativeInteger
	dtUnsignedLong
	dtUnsignedInt
	dtUnsignedShort
	dtUnsignedByte
	dtPositiveInteger
	dtDecimal
	dtFloat
	dtDouble
	dtDateTime
	dtDateTimeStamp
	dtDate
	dtTime
	dtGYear
	dtGYearMonth
	dtGMonth
	dtGMonthDay
	dtGDay
	dtDuration
	dtDayTimeDuration
	dtYearMonthDuration
)

// datatypeNames holds the local names in the namespace of XML Schema.
var datatypeNames = [...]string{
	dtString: "string", dtBoolean: "boolean", dtInteger: "integer",
	dtNonPositiveInteger: "nonPositiveInteger", dtNegativeInteger: "negativeInteger",
	dtLong: "long", dtInt: "int", dtShort: "short", dtByte: "byte",
	dtNonNegativeInteger: "nonNegativeInteger", dtUnsignedLong: "unsignedLong",
	dtUnsignedInt: "unsignedInt", dtUnsignedShort: "unsignedShort", dtUnsignedByte: "unsignedByte",
	dtPositiveInteger: "positiveInteger", dtDecimal: "decimal", dtFloat: "float", dtDouble: "double",
	dtDateTime: "dateTime", dtDateTimeStamp: "dateTimeStamp", dtDate: "date", dtTime: "time",
	dtGYear: "gYear", dtGYearMonth: "gYearMonth", dtGMonth: "gMonth", dtGMonthDay: "gMonthDay",
	dtGDay: "gDay", dtDuration: "duration", dtDayTimeDuration: "dayTimeDuration",
	dtYearMonthDuration: "yearMonthDuration",
}

// datatypeIRIs holds the whole IRIs, made once.
var datatypeIRIs = func() (iris [len(datatypeNames)]string) {
	for i, name := range datatypeNames {
		iris[i] = xsdNS + name
	}
	return iris
}()

// iri returns the IRI of a known datatype.
func (d datatype) iri() string { return datatypeIRIs[d] }

// datatypeOf returns the datatype with this local name in the XML Schema
// namespace. The name is not kept.
func datatypeOf(local string) datatype {
	switch local {
	case "integer":
		return dtInteger
	case "decimal":
		return dtDecimal
	case "double":
		return dtDouble
	case "float":
		return dtFloat
	case "boolean":
		return dtBoolean
	case "dateTime":
		return dtDateTime
	case "date":
		return dtDate
	case "string":
		return dtString
	case "int":
		return dtInt
	case "long":
		return dtLong
	case "short":
		return dtShort
	case "byte":
		return dtByte
	case "nonNegativeInteger":
		return dtNonNegativeInteger
	case "positiveInteger":
		return dtPositiveInteger
	case "nonPositiveInteger":
		return dtNonPositiveInteger
	case "negativeInteger":
		return dtNegativeInteger
	case "unsignedLong":
		return dtUnsignedLong
	case "unsignedInt":
		return dtUnsignedInt
	case "unsignedShort":
		return dtUnsignedShort
	case "unsignedByte":
		return dtUnsignedByte
	case "dateTimeStamp":
		return dtDateTimeStamp
	case "time":
		return dtTime
	case "gYear":
		return dtGYear
	case "gYearMonth":
		return dtGYearMonth
	case "gMonth":
		return dtGMonth
	case "gMonthDay":
		return dtGMonthDay
	case "gDay":
		return dtGDay
	case "duration":
		return dtDuration
	case "dayTimeDuration":
		return dtDayTimeDuration
	case "yearMonthDuration":
		return dtYearMonthDuration
	}
	return dtUnknown
}

// integerBounds returns the bounds of a derived integer type that fit an
// int64; hasMin and hasMax say which there are. unsignedLong has its upper
// bound outside and is checked on its own.
func (d datatype) integerBounds() (minimum, maximum int64, hasMin, hasMax bool) {
	switch d {
	case dtNonPositiveInteger:
		return 0, 0, false, true
	case dtNegativeInteger:
		return 0, -1, false, true
	case dtLong:
		return -1 << 63, 1<<63 - 1, true, true
	case dtInt:
		return -1 << 31, 1<<31 - 1, true, true
	case dtShort:
		return -1 << 15, 1<<15 - 1, true, true
	case dtByte:
		return -1 << 7, 1<<7 - 1, true, true
	case dtNonNegativeInteger, dtUnsignedLong:
		return 0, 0, true, false
	case dtPositiveInteger:
		return 1, 0, true, false
	case dtUnsignedInt:
		return 0, 1<<32 - 1, true, true
	case dtUnsignedShort:
		return 0, 1<<16 - 1, true, true
	case dtUnsignedByte:
		return 0, 1<<8 - 1, true, true
	}
	return 0, 0, false, false
}
